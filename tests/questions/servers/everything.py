"""The reference server of all features: the environment is a map of texts."""

import os

from asking.rows import LETTER_CASE, NO_FIELD, Question, Result, Server, column, field_of_first, only, trap
from servers import script


def server(place):
    variables = {f"SERVICE_{number:03}_URL": address(number) for number in range(220)}
    # Nothing of the machine's own environment, which may hold secrets.
    alone = ["env", "-i", f"PATH={os.environ['PATH']}", *(f"{name}={value}" for name, value in variables.items())]
    return Server(
        name="everything",
        package="@modelcontextprotocol/server-everything (npm)",
        command=[*alone, *script(place, "@modelcontextprotocol/server-everything", "dist/index.js")],
        results=[environment(variables)],
    )


def address(number):
    host = ("alpha", "beta", "gamma")[number % 3]
    return f"https://{host}.example.com:{8000 + number % 7}/v{number % 2 + 1}/{number}"


def environment(variables):
    beta = sum("//beta." in value for value in variables.values())
    port = sorted(name for name, value in variables.items() if ":8003/v2/" in value)
    return Result("get-env", {}, [
        Question(
            "services-on-a-host", "How many services are on the host beta?", beta,
            [{"where": ["key^=SERVICE_", "value~=//beta."], "count": True}], only,
        ),
        Question(
            "services-on-a-port", "Which services have the port 8003 and version 2?", set(port),
            [{"where": ["value=~:8003/v2/"], "select": ["key"]}], column("key"),
        ),
        Question(
            "address-of-a-service", "What is the address of service 117?", variables["SERVICE_117_URL"],
            [{"where": ["key=SERVICE_117_URL"]}], field_of_first("value"),
        ),
        trap(
            "key-in-lower-case", "The address of service 117, by its name in lower case.", variables["SERVICE_117_URL"],
            {"where": ["key=service_117_url"]}, field_of_first("value"), rf"SERVICE_117_URL|{LETTER_CASE}",
        ),
        trap(
            "key-as-a-field", "The address of service 117, as if it were a field.", variables["SERVICE_117_URL"],
            {"select": ["SERVICE_117_URL"], "limit": 1}, field_of_first("SERVICE_117_URL"), rf"{NO_FIELD}|key",
        ),
    ])
