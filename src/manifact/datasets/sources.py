"""The papers' data sets: what each holds, the files it circulates in, where they are, and what they must contain.

Addresses are the authors' own pages first, then public mirrors. A file is opened only if its sha256 is the one written
here, and a download counts only if the `digest` of what it holds is, too. The authors' files whose sha256 nobody has
told us are downloaded only where somebody allows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

CAI = "http://www.cad.zju.edu.cn/home/dengcai/Data"
ROWEIS = "https://cs.nyu.edu/~roweis/data"
GITHUB = "https://raw.githubusercontent.com"
L21FS = f"{GITHUB}/ma-xu/L21FS/b9d4e8eb7f6d7b5ccc62f9e638bdaef798b62e5e/data"
NMF_LIBRARY = f"{GITHUB}/hiroyuki-kasai/NMFLibrary"
TEN_X = "https://cf.10xgenomics.com/samples"


@dataclass(frozen=True)
class Remote:
    """One file to download, and its sha256 where that is known."""

    address: str
    sha256: str | None = None

    @property
    def file(self) -> str:
        """The file's name, there and here."""
        return PurePosixPath(unquote(urlsplit(self.address).path)).name


#: The files that together hold a data set.
Source = tuple[Remote, ...]


@dataclass(frozen=True)
class Entry:
    """A data set: its size, the number type of our layout, its file names, its content and its sources."""

    name: str
    kind: str
    n_samples: int
    n_features: int
    n_classes: int
    dtype: str
    #: The file of our own layout.
    layout: str
    #: The files that others made: each is a group that together holds the set.
    originals: tuple[tuple[str, ...], ...]
    #: `digest` of the samples and classes of what ``sources`` give.
    content: str
    page: str
    sources: tuple[Source, ...] = ()
    #: Height and width of images; the first has ``n_features`` pixels, others are known larger versions.
    image_shapes: tuple[tuple[int, int], ...] = ()
    #: Keep the ``n_classes`` largest classes of a file that has more.
    largest: bool = False
    widths: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        shapes = tuple(prod(shape) for shape in self.image_shapes)
        object.__setattr__(self, "widths", shapes or (self.n_features,))


def _alone(*files: str) -> tuple[tuple[str, ...], ...]:
    """Files each of which holds the whole set."""
    return tuple((file,) for file in files)


def _mirror(address: str, sha256: str) -> Source:
    return (Remote(address, sha256),)


#: sha256 of MNIST's four files as LeCun compressed them.
MNIST = {
    "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}


def _mnist(folder: str) -> Source:
    return tuple(Remote(f"{folder}/{file}", sha256) for file, sha256 in MNIST.items())


_ENTRIES = (
    Entry(
        "coil20", "images", 1440, 1024, 20, "float64", "coil20.npz", _alone("COIL20.mat"),
        "d9f906574b3e375ad5a31f434cd01b72544108775090e7c8b4f871bfa6ce167f", f"{CAI}/MLData.html",
        (
            (Remote(f"{CAI}/COIL20/COIL20.mat"),),
            _mirror(f"{L21FS}/COIL20.mat", "2a35c105dbb327492b90389e55612bcbf39187bc7c408252239903e4ce7d6958"),
        ),
        ((32, 32),),
    ),
    Entry(
        "pie", "images", 2856, 1024, 68, "uint8", "pie_pose27.npz", _alone("PIE_pose27.mat", "PIE.mat"),
        "cbf797ca57f57c93404cb34dda0bf672358b602ed4e496e1d4f18b7292520266", f"{CAI}/FaceData.html",
        tuple(
            _mirror(
                f"{NMF_LIBRARY}/{place}/PIE_pose27.mat",
                "035fdd73d5f4234d958b3c88f20bd8aae3871080246139896a23e61487134680",
            )
            for place in (
                "HEAD/data",
                "72c65704f9c5da14468180095a030839deebe92b/applications_old/document_clustering",
            )
        ),
        ((32, 32),),
    ),
    Entry(
        "yale", "images", 165, 1024, 15, "uint8", "yale32.npz", _alone("Yale_32x32.mat", "Yale.mat"),
        "ed69343d6862a64fcf3afb0db87856758caf0ef1fbfb4bcedb4d15cc84829ea2", f"{CAI}/FaceData.html",
        (
            (Remote(f"{CAI}/Yale/Yale_32x32.mat"),),
            _mirror(
                f"{GITHUB}/jundongl/scikit-feature/48cffad4e88ff4b9d2f1c7baffb314d1b3303792/skfeature/data/Yale.mat",
                "cccd29abd2c520dd5cc8ff7645b422c2bdadd59406a6b6a0239143d9d44afcf3",
            ),
        ),
        ((32, 32),),
    ),
    Entry(
        "orl", "images", 400, 1024, 40, "uint8", "orl32.npz", _alone("ORL_32x32.mat", "ORL.mat"),
        "3c4980319540f65a3e756ebe8934b1f7d4d5f53b067e4427426edf2eb3c13261", f"{CAI}/FaceData.html",
        (
            (Remote(f"{CAI}/ORL/ORL_32x32.mat"),),
            _mirror(f"{L21FS}/ORL_32x32.mat", "c30cb53be2cab2da293eaeb35c1a7c16cad513fa14d0400ad5ed51f03e1ce7c8"),
        ),
        ((32, 32),),
    ),
    Entry(
        # The authors' umist_cropped.mat holds the images at 112 x 92: read if it is there, not what the papers use.
        "umist", "images", 575, 644, 20, "uint8", "umist_28x23.npz",
        _alone("umist.mat", "UMIST_28x23.mat", "umist_cropped.mat"),
        "161974ae744e3f92f48e8fd0b108bd77da0ab00cc6d006e22448c46c9311bd3d", f"{ROWEIS}.html",
        (
            _mirror(
                f"{GITHUB}/minercode625/ufs_mi/d104ac3e3dae53563de7617f8d1c9909fea18166/data/umist.mat",
                "aa1275727337744daa68ff0a32890759d0394205a60b23e3370df1489b371426",
            ),
        ),
        ((28, 23), (112, 92)),
    ),
    Entry(
        "binalpha", "images", 1404, 320, 36, "uint8", "binalpha.npz",
        _alone("binaryalphadigs.mat", "binalpha.mat"),
        "2012267934aba325347871fd651fe979c10f29a62bd9f3201d057f3d2c27743f", f"{ROWEIS}.html",
        (
            (Remote(f"{ROWEIS}/binaryalphadigs.mat"),),
            _mirror(
                f"{L21FS}/binaryalphadigs.mat", "13a5b25f26f75564bfa2de1d776e994ffb0e5923930def10f1d9e84ee7f907c4"
            ),
        ),
        ((20, 16),),
    ),
    Entry(
        "mnist", "images", 70000, 784, 10, "uint8", "mnist.npz",
        (
            tuple(MNIST),
            tuple(file.removesuffix(".gz") for file in MNIST),
            tuple(file.removesuffix(".gz").replace("-idx", ".idx") for file in MNIST),
        ),
        "65f31531ee52c260b3f65c318100727e14ac4658bc2abbbfcb27c0f352a5d1e5", "http://yann.lecun.com/exdb/mnist",
        (
            _mnist("https://ossci-datasets.s3.amazonaws.com/mnist"),
            _mnist("https://storage.googleapis.com/cvdf-datasets/mnist"),
        ),
        ((28, 28),),
    ),
    Entry(
        "tdt2", "term counts", 9394, 36771, 30, "uint8", "tdt2.npz", _alone("TDT2.mat", "TDT2_all.mat"),
        "2baff62d4e2cdeccfe4e24dcb725ecbbae74ac1cabd87db7ca4d5f45690f3ab3", f"{CAI}/TextData.html",
        (
            (Remote(f"{CAI}/TDT2/TDT2.mat"),),
            _mirror(
                f"{NMF_LIBRARY}/7e9678c06aa29e37f28aaa140482a510639ee2f1/applications/document_clustering/TDT2.mat",
                "a28844f8bf18076838ede0d7554c8c2476d6b6d1c7eb57558e7288e10d16fde9",
            ),
        ),
        largest=True,
    ),
    Entry(
        "reuters", "term counts", 8293, 18933, 65, "uint8", "reuters21578.npz", _alone("Reuters21578.mat"),
        "e1cafb2066ccf97cdb715deaa1ac7d86ea3c3e6fc6e676c0a3fa3ab7dc4f63b9", f"{CAI}/TextData.html",
        (
            _mirror(
                f"{NMF_LIBRARY}/7e9678c06aa29e37f28aaa140482a510639ee2f1/applications/topic_extraction/Reuters21578.mat",
                "2e442026efc64cfbcd3a531b4bc99b21eed6c5463276dbfa69d096f91dd5c245",
            ),
        ),
    ),
    Entry(
        "news20", "term counts", 18846, 26214, 20, "uint16", "news20.npz",
        _alone("20Newsgroups.mat", "20News.mat", "news20.mat"),
        "22b8647869ff17b5800cebfca51347235c40fb363eb688b4f9b1c5d70222acd3", f"{CAI}/TextData.html",
        (
            (Remote(f"{CAI}/20Newsgroups/20Newsgroups.mat"),),
            _mirror(
                f"{GITHUB}/Saeidhoseinipour/NMTFcoclust/HEAD/Datasets/20Newsgroups.mat",
                "dc1418f7291a4c09a4ab3b6a7d31c129d6edad7643ac5ec6bdaf67180a000ae8",
            ),
        ),
    ),
    Entry(
        # 10x's own archive has no classes: with it, y is -1 throughout, and so it is in ``content``.
        "pbmc3k", "molecule counts", 2700, 13714, 9, "uint16", "pbmc3k.npz",
        _alone("pbmc3k_filtered_gene_bc_matrices.tar.gz"),
        "8291d467f8df7e7e0f9dc2a7cad35c8306146c60b1a7763a564d32584b8b0804",
        "https://support.10xgenomics.com/single-cell-gene-expression/datasets/1.1.0/pbmc3k",
        tuple(
            _mirror(
                f"{TEN_X}/{place}/pbmc3k_filtered_gene_bc_matrices.tar.gz",
                "847d6ebd9a1ec9a768f2be7e40ca42cbfe75ebeb6d76a4c24167041699dc28b5",
            )
            for place in ("cell-exp/1.1.0/pbmc3k", "cell/pbmc3k")
        ),
    ),
)  # fmt: skip

#: Name -> what is known about the set.
SETS: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
NAMES = tuple(SETS)
