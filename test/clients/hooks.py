"""Has schemathesis send values as lines of JSON."""
import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(_context, value):
    return (json.dumps(value) + "\n").encode()
