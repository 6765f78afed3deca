"""The reference server of files: CSV, JSON, trees, maps and lists of paths, all as texts in structured content."""

from collections import Counter

from asking.rows import (
    LETTER_CASE,
    NO_FIELD,
    NO_VALUE,
    Question,
    Result,
    Server,
    field_of_first,
    first,
    groups,
    member,
    only,
    told,
    trap,
)
from data import most
from servers import script


def server(place):
    files = place.folder / "files"
    results = [airports, movies, earthquakes, lock, tree, found, several, broken, utf16, topology]
    return Server(
        name="filesystem",
        package="@modelcontextprotocol/server-filesystem (npm)",
        command=[*script(place, "@modelcontextprotocol/server-filesystem", "dist/index.js"), files],
        results=[result(place, files) for result in results],
    )


def airports(place, files):
    """A CSV file with a header."""
    rows = place.rows("airports.csv")
    texas = [row for row in rows if row["state"] == "TX"]
    north = max(rows, key=lambda row: float(row["latitude"]))
    states = Counter(row["state"] for row in rows)
    return Result("read_text_file", {"path": str(files / "airports.csv")}, [
        Question(
            "airports-in-texas", "How many airports are in Texas?", len(texas),
            [{"where": ["state=TX"], "count": True}], only,
        ),
        Question(
            "northernmost-airport", "What is the code of the northernmost airport?", north["iata"],
            [{"sort_by": "-latitude", "limit": 1, "select": ["iata", "latitude"]}], field_of_first("iata"),
        ),
        Question(
            "states-with-most-airports", "Which three states have the most airports, and how many?",
            dict(states.most_common(3)), [{"group_by": "state", "limit": 3}],
            lambda answers: {group["state"]: group["count"] for group in answers[-1]["results"]},
        ),
        trap(
            "airports-lower-case", "Airports in Texas, in the wrong letter case.", len(texas),
            {"where": ["state=tx"], "count": True}, only, rf"\bTX\b|{LETTER_CASE}",
        ),
        trap(
            "airports-by-name-of-state", "Airports in Texas, by a value that the field does not have.", len(texas),
            {"where": ["state=Texas"], "count": True}, only, r'`state` has "[A-Z]{2}"',
        ),
        trap(
            "airports-of-no-such-field", "Airports by a field that does not exist.", len(texas),
            {"where": ["region=TX"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "airports-in-parentheses", "Airports in two states, with parentheses around the list.",
            states["TX"] + states["NM"], {"where": ["state in (TX,NM)"], "count": True}, only,
            r"parenthes|bracket|in a,b",
        ),
        trap(
            "airports-sorted-by-typo", "The northernmost airport, by a field that does not exist.", north["iata"],
            {"sort_by": "-lat", "limit": 1}, field_of_first("iata"), NO_FIELD,
        ),
        trap(
            "airports-grouped-by-typo", "Airports by state, by a field that does not exist.",
            dict(states.most_common(1)),
            {"group_by": "State", "limit": 1},
            lambda answers: {member(first(answers), "State"): first(answers)["count"]},
            NO_FIELD,
        ),
        trap(
            "airports-by-keyword", "Lines about Austin, by the recipe for keywords without its parameter.",
            sum("keyword" in str(row).lower() for row in rows) or None, {"recipe": 3}, first,
            r"param|keyword|placeholder",
        ),
    ])


def movies(place, files):
    """A list of records whose names have spaces."""
    made = place.json("movies.json")
    dramas = [movie for movie in made if movie["Major Genre"] == "Drama"]
    best = max((movie for movie in dramas if movie["IMDB Rating"]), key=lambda movie: movie["IMDB Rating"])
    in_2010 = [movie for movie in made if str(movie["Release Date"]).endswith(" 2010")]
    directors = Counter(movie["Director"] for movie in made if movie["Director"])
    high = [movie for movie in made if (movie["IMDB Rating"] or 0) > 8]
    return Result("read_text_file", {"path": str(files / "movies.json")}, [
        Question(
            "best-drama", "Which drama has the highest rating at IMDB?", best["Title"],
            [{
                "where": ["Major Genre=Drama"], "sort_by": "-IMDB Rating", "limit": 1,
                "select": ["Title", "IMDB Rating"],
            }],
            field_of_first("Title"),
        ),
        Question(
            "films-of-2010", "How many films came out in 2010?", len(in_2010),
            [{"where": ["Release Date=~ 2010$"], "count": True}], only,
        ),
        Question(
            "most-films", "Which director has the most films, and how many?", list(most(directors)),
            [{"where": ["Director"], "group_by": "Director", "limit": 1}],
            lambda answers: [first(answers)["Director"], first(answers)["count"]],
        ),
        trap(
            "dramas-lower-case", "Dramas, in the wrong letter case.", len(dramas),
            {"where": ["Major Genre=drama"], "count": True}, only, rf"\bDrama\b|{LETTER_CASE}",
        ),
        trap(
            "dramas-in-quotes", "Dramas, in single quotes.", len(dramas),
            {"where": ["Major Genre='Drama'"], "count": True}, only, r"quote|Drama",
        ),
        trap(
            "films-since-2010-as-iso", "Films since 2010, with a date in another notation.",
            sum(str(movie["Release Date"])[-4:] >= "2010" for movie in made if movie["Release Date"]),
            {"where": ["Release Date>=2010-01-01"], "count": True}, only, r"date|ISO|Jun 12 1998|text",
        ),
        trap(
            "rating-above-a-word", "Films with a high rating, with a word in place of a number.", len(high),
            {"where": ["IMDB Rating>high"], "count": True}, only, r"number|text",
        ),
        trap(
            "two-conditions-in-one", "Dramas of a director, with `and` inside a condition.",
            sum(movie["Director"] == "Steven Spielberg" for movie in dramas),
            {"where": ["Major Genre=Drama and Director=Steven Spielberg"], "count": True}, only,
            rf"`and`|separate|one condition|{NO_VALUE}",
        ),
        trap(
            "several-genres", "Dramas and comedies, with a comma behind the equals sign.",
            sum(movie["Major Genre"] in ("Drama", "Comedy") for movie in made),
            {"where": ["Major Genre=Drama,Comedy"], "count": True}, only, rf"`in`|in a,b|comma|{NO_VALUE}",
        ),
        trap(
            "title-with-a-star", "Films whose title begins with Star, with a wildcard.",
            sum(str(movie["Title"]).startswith("Star") for movie in made),
            {"where": ["Title=Star*"], "count": True}, only, r"\^=|wildcard|\*|begins",
        ),
        trap(
            "selected-typo", "Titles, by a field that does not exist.", made[0]["Title"],
            {"select": ["title"], "limit": 1}, field_of_first("title"), NO_FIELD,
        ),
    ])


def earthquakes(place, files):
    """GeoJSON: what is asked for is one level down."""
    made = [feature["properties"] for feature in place.json("earthquakes.json")["features"]]
    strongest = max(made, key=lambda each: each["mag"] or 0)
    alaska = [each for each in made if (each["mag"] or 0) >= 4 and "Alaska" in each["place"]]
    return Result("read_text_file", {"path": str(files / "earthquakes.json")}, [
        Question(
            "strongest-earthquake", "Where was the strongest earthquake?", strongest["place"],
            [{"sort_by": "-properties.mag", "limit": 1, "select": ["properties.place", "properties.mag"]}],
            field_of_first("properties.place"),
        ),
        Question(
            "strong-earthquakes-in-alaska", "How many earthquakes of magnitude 4 or more were there in Alaska?",
            len(alaska),
            [{"where": ["properties.mag>=4", "properties.place~=Alaska"], "count": True}], only,
        ),
        trap(
            "magnitude-at-the-top", "Strong earthquakes, by the name of the field without its path.",
            sum((each["mag"] or 0) >= 4 for each in made), {"where": ["mag>=4"], "count": True}, only,
            r"properties\.mag",
        ),
        trap(
            "features-of-a-feature", "Strong earthquakes, by a filter for the whole document.",
            sum((each["mag"] or 0) >= 4 for each in made),
            {"query": "[.features[] | select(.properties.mag >= 4)] | length"}, only, r"record|features|slurp",
        ),
    ])


def lock(place, files):
    """A map of records."""
    packages = place.package_lock["packages"]
    licences = Counter(package.get("license") for package in packages.values())
    ajv = packages["node_modules/ajv"]["version"]
    isc = licences["ISC"]
    return Result("read_text_file", {"path": str(files / "package-lock.json")}, [
        Question(
            "packages-under-isc", "How many packages have the licence ISC?", isc,
            [{"where": ["license=ISC"], "count": True}], only,
        ),
        Question(
            "licences", "How many packages are there of each licence?",
            {licence: count for licence, count in licences.items()}, [{"group_by": "license"}], groups("license"),
        ),
        Question(
            "version-of-ajv", "Which version of ajv is installed at the top?", ajv,
            [{"where": ["key=node_modules/ajv"], "select": ["key", "version"]}], field_of_first("version"),
        ),
        trap(
            "licence-below-packages", "Packages under ISC, by the path in the document.", isc,
            {"where": ["packages.license=ISC"], "count": True}, only, NO_FIELD,
        ),
        trap(
            "licence-lower-case", "Packages under MIT, in the wrong letter case.", licences["MIT"],
            {"where": ["license=mit"], "count": True}, only, rf"\bMIT\b|{LETTER_CASE}",
        ),
    ])


def tree(place, files):
    """A tree of folders."""
    root = files / "ajv"
    paths = [path for path in root.rglob("*")]
    declarations = [path for path in paths if path.name.endswith(".d.ts")]
    folders = [path for path in paths if path.is_dir()]
    return Result("directory_tree", {"path": str(root)}, [
        Question(
            "declarations-in-a-tree", "How many files end in .d.ts?", len(declarations),
            [{"where": ["name=~\\.d\\.ts$"], "count": True}], only,
        ),
        Question(
            "folders-in-a-tree", "How many folders are there?", len(folders),
            [{"where": ["type=directory"], "count": True}], only,
        ),
        Question(
            "where-a-file-lies", "In which folder does a file called resolve.d.ts lie?",
            [str(path.parent.relative_to(root)) for path in paths if path.name == "resolve.d.ts"],
            [{"where": ["name=resolve.d.ts"]}],
            lambda answers: [names_of_path(record) for record in answers[-1]["results"]],
        ),
        trap(
            "declarations-among-children", "Files that end in .d.ts, one level down.", len(declarations),
            {"where": ["children.name=~\\.d\\.ts$"], "count": True}, only, r"deep|every|\bname\b",
        ),
        trap(
            "declarations-by-filter", "Files that end in .d.ts, by a filter that looks at the top only.",
            len(declarations),
            {"query": "[.[] | select(.name | endswith(\".d.ts\"))] | length", "slurp": True}, only, r"deep|children",
        ),
    ])


def names_of_path(record):
    """The folder in the path of a node, however the path is written: names with slashes or dots between them."""
    path = record.get("path")
    text = "/".join(path[:-1]) if isinstance(path, list) else str(path).rsplit("/", 1)[0]
    return text.strip("/")


def found(place, files):
    """A list of paths, one a line."""
    root = files / "ajv"
    paths = [str(path) for path in root.rglob("*.js")]
    tests = [path for path in paths if "/dist/vocabularies/" in path]
    return Result("search_files", {"path": str(files), "pattern": "**/*.js"}, [
        Question(
            "files-of-vocabularies", "How many of the files lie below dist/vocabularies?", len(tests),
            [{"where": ["line~=/dist/vocabularies/"], "count": True}], only,
        ),
        Question(
            "files-called-code", "How many of the files are called code.js?",
            sum(path.endswith("/code.js") for path in paths),
            [{"where": ["line=~/code\\.js$"], "count": True}], only,
        ),
        trap(
            "path-of-a-line", "Files of vocabularies, by a field that lines do not have.", len(tests),
            {"where": ["path~=/dist/vocabularies/"], "count": True}, only, r"\bline|text",
        ),
        trap(
            "counted-by-filter", "Files of vocabularies, counted line by line.", len(tests),
            {"query": "select(test(\"/dist/vocabularies/\"))", "count": True}, only, r"count",
        ),
    ])


def several(place, files):
    """Two files in one text, behind headings with their paths."""
    stocks = place.rows("stocks.csv")
    highest = max(float(row["price"]) for row in stocks if row["symbol"] == "AAPL")
    paths = [str(files / "stocks.csv"), str(files / "unemployment.tsv")]
    apple = sum(row["symbol"] == "AAPL" for row in stocks)
    return Result("read_multiple_files", {"paths": paths}, [
        Question(
            "highest-price-of-apple", "What is the highest price of AAPL?", highest,
            [told(
                "symbol", {"where": ["symbol=AAPL"], "sort_by": "-price", "limit": 1}, {"query": PRICES, "slurp": True},
            )],
            lambda answers: member(first(answers), "price") or first(answers),
        ),
        Question(
            "lines-about-apple", "How many prices of AAPL are there?", apple,
            [told("symbol", {"where": ["symbol=AAPL"], "count": True}, {"where": ["line^=AAPL,"], "count": True})],
            only,
        ),
        trap(
            "symbol-of-a-line", "Prices of AAPL, by a field that lines do not have.", apple,
            {"where": ["symbol=AAPL"], "count": True}, only, r"\bline|text",
        ),
    ])


#: The highest price in lines of text.
PRICES = 'map(select(type == "string" and startswith("AAPL,")) | split(",")[2] | tonumber) | max'


def broken(place, files):
    """Lines of JSON whose last one is cut."""
    whole = place.requests[:-1]
    errors = sum(request["level"] == "error" for request in whole)
    return Result("read_text_file", {"path": str(files / "requests.ndjson")}, [
        Question(
            "errors-in-broken-lines", "How many requests failed with an error of the server?", errors,
            [{"where": ["status>=500"], "count": True}], only,
        ),
        Question(
            "slowest-request", "How many milliseconds did the slowest request to /export take?",
            max(request["ms"] for request in whole if request["path"] == "/export"),
            [{"where": ["path=/export"], "sort_by": "-ms", "limit": 1, "select": ["ms"]}], field_of_first("ms"),
        ),
        trap(
            "status-in-quotes", "Requests with the status 503, as a text.",
            sum(request["status"] == 503 for request in whole),
            {"where": ["status=\"503\""], "count": True}, only, r"number|text|quote",
        ),
    ])


def utf16(place, files):
    """A table in UTF-16, which the server decodes as UTF-8: what it sends is not a table any more."""
    failed = sum(request["status"] >= 500 for request in place.requests)
    return Result("read_text_file", {"path": str(files / "requests-utf16.tsv")}, [
        trap(
            "failures-in-utf16", "Requests with the status 500 or more.", failed,
            {"where": ["status>=500"], "count": True}, only, r"UTF-16|decod|\bline|text|character",
        ),
    ])


def topology(place, files):
    """TopoJSON: lists of very different sizes, deep in a document."""
    counties = place.json("us-10m.json")["objects"]["counties"]["geometries"]
    polygons = sum(county["type"] == "MultiPolygon" for county in counties)
    return Result("read_text_file", {"path": str(files / "us-10m.json")}, [
        Question(
            "states-beside-the-bulk", "How many states are there?",
            len(place.json("us-10m.json")["objects"]["states"]["geometries"]),
            [{"records": ".objects.states.geometries", "where": ["id"], "count": True}], only,
        ),
        Question(
            "counties-of-many-parts", "How many counties have more than one part?", polygons,
            [{"records": ".objects.counties.geometries", "where": ["type=MultiPolygon"], "count": True}], only,
        ),
        trap(
            "states-without-their-address", "Counties of many parts, asked of the records that the file begins with.",
            polygons,
            {"where": ["type=MultiPolygon"], "count": True}, only, r"arrays?|\.objects",
        ),
    ])
