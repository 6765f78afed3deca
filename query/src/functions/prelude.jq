# What can be said in jq is said in jq. Names that begin with `_` are ours; all others are jq's.

def error: error_empty as $x | .;
def error(message): (message | error_empty) as $x | .;
def true: 0 == 0;
def false: 0 != 0;
def null: [][0];

# Used where a reduction has many outputs or none: the last one counts.
def _last_or_null(f): reduce f as $x (null; $x);

# Types
def finites: select(type == "number" and (isinfinite or isnan | not));
def normals: select(type == "number" and isnormal);
def toarray: if type == "array" then . else [.] end;
def isvalid(f): try (f | true) catch false;
def abs: if type == "number" and . < 0 then -. else . end;
def have_literal_numbers: true;
def have_decnum: true;

# Streams of values
def select(f): if f then . else empty end;
def range(to): range(0; to);
def range(from; to): range(from; to; 1);
def range(from; to; by): from as $from | to as $to | by as $by
  | if ($from | type) != "number" or ($to | type) != "number" or ($by | type) != "number"
    then error("Range bounds must be numeric")
    elif $by == 0 then empty
    else _range($from; $to; $by) end;
def repeat(f): def rec: f, rec; rec;
def recurse(f): def rec: ., (f | rec); rec;
def recurse(f; cond): recurse(f | select(cond));
def recurse_down: recurse;
def while(cond; update): def rec: if cond then ., (update | rec) else empty end; rec;
def until(cond; update): def rec: if cond then . else update | rec end; rec;
def limit(count; f): count as $count
  | if $count > 0 then _limit($count; f)
    elif $count == 0 then empty
    else error("limit doesn't support negative count") end;
def skip(count; f): count as $count
  | if $count >= 0 then _skip($count; f)
    else error("skip doesn't support negative count") end;
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
def isempty(g): first((g | false), true);
def all(g; cond): isempty(first(g | cond | select(. | not)));
def any(g; cond): isempty(first(g | cond | select(.))) | not;
def all(cond): all(.[]; cond);
def any(cond): any(.[]; cond);
def all: all(.[]; .);
def any: any(.[]; .);
def add(f): reduce f as $x (null; . + $x);
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations($n): . as $dot | [range($n)] | map($dot) | combinations;
def splits(re): splits(re; null);
def splits(re; flags): split(re; flags)[];
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);
def INDEX(f): INDEX(.[]; f);
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; stream; f): stream | [., $idx[f]];
def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;
def ascii: [.] | implode;

# Collections
def map_values(f): .[] |= f;
def with_entries(f): to_entries | map(f) | from_entries;
def walk(f): def rec: (if type == "object" then map_values(rec) elif type == "array" then map(rec) else . end) | f; rec;
def flatten: flatten(1e9);
def index($i): indices($i) | .[0];
def rindex($i): indices($i) | .[-1:][0];
def trimstr($x): ltrimstr($x) | rtrimstr($x);

# Paths
def paths(f): path(recurse | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));
def tostream: path(def rec: (.[]? | rec), .; rec) as $p | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream
  | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;

# Regular expressions
def test(re): test(re; null);
def match(re): match(re; null);
def match(re; flags): _matches(re; flags)[];
def capture(re): capture(re; null);
def capture(re; flags): _captures(re; flags)[];
def scan(re): scan(re; null);
def scan(re; flags): _scans(re; "g" + flags)[];
def split(re; flags): _gaps(re; "g" + flags);
def sub(re; f): sub(re; f; null);
def sub(re; f; flags): _pieces(re; flags) as $pieces
  | reduce $pieces[] as $x (""; . + (if $x | type == "string" then $x else $x[0] + ($x[1] | f) end));
def gsub(re; f): sub(re; f; "g");
def gsub(re; f; flags): sub(re; f; flags + "g");

# Dates
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def todate: todateiso8601;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;

# Formats
def format(f): f as $f
  | if $f == "text" then @text elif $f == "json" then @json elif $f == "csv" then @csv
    elif $f == "tsv" then @tsv elif $f == "html" then @html elif $f == "uri" then @uri
    elif $f == "urid" then @urid elif $f == "sh" then @sh elif $f == "base64" then @base64
    elif $f == "base64d" then @base64d elif $f == "base32" then @base32 elif $f == "base32d" then @base32d
    else error("\($f) is not a valid format") end;
