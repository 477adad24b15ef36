"""A page of `--format html` as text, with the data that its script inflates."""

import base64
import re
import zlib

DATA = re.compile(r'(<script type="application/octet-stream" id="data">)([^<]*)(?=</script>)')


def page_text(html):
    """Any other text stays as it is."""
    return DATA.sub(lambda found: found[1] + zlib.decompress(base64.b64decode(found[2])).decode(), html)
