"""What is asked of a pull."""

import pytest

from signals.store.pull.endpoint import Access, parse_endpoint
from signals.usecases.pull_request import PullRequest


def test_service_is_the_host_unless_named():
    """As files lend theirs."""
    endpoint = parse_endpoint("http://metrics.example:9090/x")
    assert PullRequest(endpoint).name == "metrics.example"
    assert PullRequest(endpoint, service="chat").name == "chat"


@pytest.mark.parametrize(
    ("url", "codes"),
    [
        ("http://metrics.example", ["secret_in_clear"]),
        ("http://localhost", []),
        ("https://metrics.example", []),
    ],
)
def test_secret_that_others_can_read_is_remarked(tmp_path, url, codes):
    """Not on this machine, nor where it is encrypted."""
    file = tmp_path / "token"
    file.write_text("hunter2hunter2")
    request = PullRequest(parse_endpoint(url), Access(token_file=file))
    assert [finding.code for finding in request.remarks()] == codes


def test_unchecked_certificate_is_remarked():
    """Anyone may stand in between."""
    request = PullRequest(parse_endpoint("https://a"), Access(insecure=True))
    assert [finding.code for finding in request.remarks()] == ["certificate_unchecked"]
