"""The manifests for Kubernetes agree with the program, with the image and with each other."""

from pathlib import Path

import pytest
import yaml
from tests.deploy_files import (
    DEPLOY,
    PROGRAM,
    Yaml,
    container_argument,
    find_values,
    kubernetes_containers,
    kubernetes_objects,
    to_bytes,
)

from tertulia import __version__
from tertulia.cli.serve import DEFAULT_PORT
from tertulia.files.upload_limits import upload_max_bytes
from tertulia.infra.dependency_checks import DEPENDENCY_CHECK_SECONDS
from tertulia.settings import Settings

DEFAULTS = Settings(data_dir=Path())
FOLDER = DEPLOY / "kubernetes"
#: What people fill in or apply themselves, before or instead of the rest.
APPLIED_BY_HAND = {"kustomization.yaml", "secret.example.yaml", "upgrade-job.yaml"}
STOP_SECONDS = DEFAULTS.drain_seconds + 30

each_container = pytest.mark.parametrize(
    ("pod", "container"),
    [pytest.param(pod, container, id=container["name"]) for pod, container in kubernetes_containers()],
)


def find_object(kind: str, name: str) -> Yaml:
    return next(
        item for item in kubernetes_objects() if (item["kind"], item["metadata"]["name"]) == (kind, name)
    )


def test_the_kustomization_holds_every_manifest_that_is_not_applied_by_hand() -> None:
    held = yaml.safe_load((FOLDER / "kustomization.yaml").read_text("utf-8"))["resources"]
    assert {*held, *APPLIED_BY_HAND} == {path.name for path in FOLDER.iterdir()}


@each_container
def test_every_container_runs_the_image_as_its_user_with_a_root_that_is_read_only(
    pod: Yaml, container: Yaml
) -> None:
    user = int(container_argument("USER").split(":")[0])
    assert container["image"] == f"{PROGRAM}:{__version__}"
    assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["runAsGroup"] == user
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {mount["mountPath"] for mount in container["volumeMounts"]} == {
        container_argument("VOLUME"),
        "/tmp",
    }
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in pod["volumes"]
    }


@each_container
def test_every_container_has_the_same_settings(pod: Yaml, container: Yaml) -> None:
    sources = [source["name"] for entry in container["envFrom"] for source in entry.values()]
    assert sources == [PROGRAM, PROGRAM]
    assert find_object("ConfigMap", PROGRAM)
    assert find_object("Secret", PROGRAM)


def test_the_secret_has_what_all_processes_must_share() -> None:
    assert {"DATABASE_URL", "REDIS_URL", "TERTULIA_SECRET_KEY"} <= set(
        find_object("Secret", PROGRAM)["stringData"]
    )


def test_several_hosts_have_a_blob_store_that_all_of_them_reach() -> None:
    assert "://" in find_object("ConfigMap", PROGRAM)["data"]["TERTULIA_BLOBS"]


def test_probes_ask_what_the_program_answers_and_wait_for_it() -> None:
    web = find_object("Deployment", f"{PROGRAM}-web")["spec"]["template"]["spec"]["containers"][0]
    assert [(port["name"], port["containerPort"]) for port in web["ports"]] == [("http", DEFAULT_PORT)]
    paths = {
        name: web[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {"startupProbe": "/health", "livenessProbe": "/health", "readinessProbe": "/ready"}
    assert web["readinessProbe"]["timeoutSeconds"] > DEPENDENCY_CHECK_SECONDS


@pytest.mark.parametrize("name", ["web", "worker"])
def test_pods_have_time_to_drain_and_go_one_after_the_other(name: str) -> None:
    deployment = find_object("Deployment", f"{PROGRAM}-{name}")["spec"]
    pod = deployment["template"]["spec"]
    before = pod["containers"][0].get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    assert pod["terminationGracePeriodSeconds"] - before >= STOP_SECONDS
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert deployment["replicas"] > 1
    assert find_object("PodDisruptionBudget", f"{PROGRAM}-{name}")["spec"]["maxUnavailable"] == 1


def test_selectors_find_the_pods() -> None:
    labels = {
        name: find_object("Deployment", f"{PROGRAM}-{name}")["spec"]["template"]["metadata"]["labels"]
        for name in ("web", "worker")
    }
    for name, found in labels.items():
        assert find_object("Deployment", f"{PROGRAM}-{name}")["spec"]["selector"]["matchLabels"] == found
        budget = find_object("PodDisruptionBudget", f"{PROGRAM}-{name}")
        assert budget["spec"]["selector"]["matchLabels"] == found
    assert find_object("Service", PROGRAM)["spec"]["selector"] == labels["web"]
    policy = find_object("NetworkPolicy", PROGRAM)["spec"]
    assert policy["podSelector"]["matchLabels"].items() <= labels["web"].items() & labels["worker"].items()
    assert policy["ingress"][0]["ports"] == [{"port": DEFAULT_PORT}]


def test_the_ingress_takes_the_largest_upload_and_leads_to_the_service() -> None:
    largest = upload_max_bytes(DEFAULTS)
    [size] = find_values(FOLDER / "ingress.yaml", r"proxy-body-size: (\w+)")
    assert largest <= to_bytes(size) < 1.1 * largest
    ingress = find_object("Ingress", PROGRAM)
    backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend["name"] == PROGRAM
    assert backend["port"]["name"] == find_object("Service", PROGRAM)["spec"]["ports"][0]["name"]
    assert ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
