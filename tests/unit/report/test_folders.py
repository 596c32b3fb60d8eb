"""Many files of one folder are told in one row."""

from signals.report.folders import gather, shortened


def test_few_files_stand_alone() -> None:
    groups = gather(["a/x.csv", "a/y.csv"], str, lambda _: "csv")
    assert groups == [("a/x.csv", ["a/x.csv"]), ("a/y.csv", ["a/y.csv"])]


def test_many_files_of_a_folder_are_one_row_and_nothing_is_lost() -> None:
    paths = [f"/data/run/prom/{i}.json" for i in range(5)] + ["/data/run/requests.csv"]
    groups = gather(paths, str, lambda p: p[-4:])
    assert [name for name, _ in groups] == ["…/run/prom/ (5 files)", "…/run/requests.csv"]
    assert sum(len(rows) for _, rows in groups) == len(paths)


def test_unlike_files_of_a_folder_stay_apart() -> None:
    paths = [f"d/{i}.json" for i in range(4)] + [f"d/{i}.prom" for i in range(4)]
    assert [n for n, _ in gather(paths, str, lambda p: p[-4:])] == ["d/ (4 files)", "d/ (4 files)"]


def test_short_paths_stay_whole() -> None:
    assert shortened("a/b.csv") == "a/b.csv"
    assert shortened("/very/long/path/to/b.csv") == "…/to/b.csv"


def test_answers_of_a_server_are_told_by_address_and_metric() -> None:
    uris = [f"http://prom:9090/vllm-0123456789ab/{i}" for i in range(5)]
    assert [name for name, _ in gather(uris, str, lambda _: "matrix")] == [
        "prom:9090/vllm-0123456789ab/ (5 files)"
    ]
    assert shortened("https://prom:9090/up-0123456789ab/w") == "prom:9090/up-0123456789ab/w"
    assert shortened("https://a/b/c/up-0123456789ab/w") == "…/up-0123456789ab/w"
