# Definitions beside jaq's: what jq has and jaq lacks, or has otherwise.

def test(re): test(re; null);

# A row's values as text. Like jq's, but an array or object stands as JSON instead of failing the record.
def tsv_field: if isstring then escape_tsv elif . == null then "" else tojson | if isstring then escape_tsv end end;
def csv_field: if isstring then "\"" + (split("\"") | join("\"\"")) + "\"" elif . == null then "" else tojson end;
def @tsv: reduce .[] as $x (null; if . == null then "" else . + "\t" end + ($x | tsv_field)) | . // "";
def @csv: reduce .[] as $x (null; if . == null then "" else . + "," end + ($x | csv_field)) | . // "";
