# Definitions beside jaq's: what jq has and jaq lacks, or has otherwise.

def test(re): test(re; null);
