"""What a job does: each module has ``run(settings)``, which gives plain numbers."""
