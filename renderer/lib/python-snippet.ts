/**
 * Python code that reads an exported file, or requests the same list from the service. Contains no token.
 * Pure.
 */
import { type ExportJob, isTablePlan } from '../../electron/shared/export-model.ts';

/** A Python string literal: JSON uses the same escapes. */
const quoted = (text: string): string => JSON.stringify(text);

const MANIFEST = `with open(FILE + ".manifest.json", encoding="utf-8") as manifest:
    about = json.load(manifest)
types = {column["name"]: column["type"] for column in about["columns"]}`;

const PANDAS = {
  csv: `import json
import pandas as pd

FILE = %FILE%
${MANIFEST}
# Decimals and JSON are texts with all digits. Whole numbers are read as text first: some versions take a column with
# missing ones through floats.
dtypes = {"BOOLEAN": "boolean", "DOUBLE": "float64"}
frame = pd.read_csv(FILE, dtype={name: dtypes.get(kind, "string") for name, kind in types.items()})
for name in [name for name, kind in types.items() if kind == "BIGINT"]:
    frame[name] = pd.array([pd.NA if pd.isna(each) else int(each) for each in frame[name]], dtype="Int64")
for times in about["timeRanges"]:
    frame[times["column"]] = frame[times["column"]].map(pd.Timestamp, na_action="ignore")
`,
  jsonl: `import json
from decimal import Decimal
import pandas as pd

FILE = %FILE%
with open(FILE, encoding="utf-8") as lines:
    # Numbers keep all digits.
    records = [json.loads(line, parse_float=Decimal) for line in lines]
frame = pd.DataFrame(records, dtype=object)
`,
  parquet: `import pandas as pd
import pyarrow.parquet as pq

FILE = %FILE%
frame = pq.read_table(FILE).to_pandas(types_mapper=pd.ArrowDtype)
`,
  arrow: `import pandas as pd
import pyarrow.feather as feather

FILE = %FILE%
frame = feather.read_table(FILE).to_pandas(types_mapper=pd.ArrowDtype)
`,
} as const;

const POLARS = {
  csv: `import json
import polars as pl

FILE = %FILE%
${MANIFEST}
dtypes = {"BIGINT": pl.Int64, "BOOLEAN": pl.Boolean, "DOUBLE": pl.Float64}
# Decimals and JSON are texts with all digits.
frame = pl.read_csv(FILE, schema_overrides={name: dtypes.get(kind, pl.String) for name, kind in types.items()})
`,
  jsonl: `import polars as pl

FILE = %FILE%
frame = pl.read_ndjson(FILE, infer_schema_length=None)
`,
  parquet: `import polars as pl

FILE = %FILE%
frame = pl.read_parquet(FILE%FOLDERS%)
`,
  arrow: `import polars as pl

FILE = %FILE%
frame = pl.read_ipc(FILE)
`,
} as const;

/** Code that reads the file into `frame`. Null if there is no file yet. */
export function fileSnippet({ plan, file }: Pick<ExportJob, 'plan' | 'file'>, library: 'pandas' | 'polars') {
  if (file === null) return null;
  const text: string = (library === 'pandas' ? PANDAS : POLARS)[plan.format];
  const folders = plan.partitionBy === null ? '' : ' + "/**/*.parquet", hive_partitioning=True';
  return text.replace('%FILE%', () => quoted(file)).replace('%FOLDERS%', folders);
}

/**
 * Code that requests the same list page by page into `frame`. Null for a table that is not a list of the
 * service.
 */
export function serviceSnippet({ plan, source }: Pick<ExportJob, 'plan' | 'source'>): string | null {
  if (isTablePlan(plan) || source === null) return null;
  const [method = 'GET', template = ''] = source.request.split(' ');
  const { path, query, body } = plan.query;
  const address = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const asked =
    body === undefined
      ? `    query = {**QUERY, "limit": PAGE, "offset": offset}
    request = urllib.request.Request(URL + "?" + urllib.parse.urlencode(query))`
      : `    body = {**BODY, "page_size": PAGE, "offset": offset}
    request = urllib.request.Request(URL, json.dumps(body).encode(), method=${quoted(method)})
    request.add_header("Content-Type", "application/json")`;
  const question =
    body === undefined
      ? `QUERY = json.loads(${quoted(JSON.stringify(query))})`
      : `BODY = json.loads(${quoted(JSON.stringify(body))})`;
  return `import json
import os
import urllib.parse
import urllib.request
import pandas as pd

URL = ${quoted(`${source.baseUrl.replace(/\/+$/, '')}${address}`)}
TOKEN = os.environ["SERVICE_TOKEN"]
PAGE = 500
${question}

records = []
offset = 0
while True:
${asked}
    request.add_header("Authorization", "Bearer " + TOKEN)
    with urllib.request.urlopen(request) as answer:
        page = json.load(answer)["data"]
    records += page["items"]
    offset += len(page["items"])
    if not page["items"] or offset == page.get("total"):
        break
frame = pd.DataFrame(records, dtype=object)
`;
}
