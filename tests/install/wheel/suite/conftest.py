import pytest


def pytest_addoption(parser):
    parser.addoption("--model")


@pytest.fixture(scope="module")
def model(request):
    print("the fixture is up")
    yield request.config.getoption("--model")
    print("the fixture is down")
