/** Decides which list of a JSON document holds its rows. Pure. */
import { counted, numberText } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import {
  type DocumentField,
  type DocumentFields,
  MAX_FIELDS,
  type Outline,
  WHOLE_DOCUMENT,
} from './json-document.ts';
import { RESULT_PLACES, RESULT_TABLES } from './json-results.ts';
import { isNumber, TABLE_DOCUMENT } from './json-tables.ts';

const ROWS = new Set(
  'data,rows,row,result,results,record,records,runs,item,items,event,events,entries,document,documents,docs,hits,list,value,values,objects,elements,examples,samples,spans,traces,logs,observations,predictions,instances,dataset,table,features,aadata,edges,nodes'.split(
    ',',
  ),
);
/** Keys of lists that are part of one row: a conversation, its tools, the parts of a message. */
const PARTS = new Set(
  'messages,message,conversation,conversations,turns,history,input,inputs,output,outputs,choices,contents,content,parts,tools,tool_calls,attributes,tags'.split(
    ',',
  ),
);
/**
 * Names of fields in the envelope around a list of rows, without underscores, hyphens and capitals. Names that are also
 * common in rows, such as name, id, query or message, are left out.
 */
const ENVELOPE = new Set(
  [
    'scannedcount,lastevaluatedkey,consumedcapacity,total,totals,totalcount,totalitems,totalrows,totalresults,totalelements,totalrecords,totalhits,totalpages,totalsize',
    'count,resultcount,rowcount,itemcount,numfound,numfoundexact,maxscore,numrows,numrowstotal,numrowsperpage,numresults,took,timedout,shards,scrollid,pitid',
    'next,previous,prev,nextpage,previouspage,prevpage,nexturl,previousurl,prevurl,nextlink,prevlink,nexttoken,nextpagetoken',
    'nextcursor,prevcursor,previouscursor,nextmarker,nextoffset,continuationtoken,continue,cursor,cursors,pagetoken,parsedquery',
    'hasmore,hasnext,hasprev,hasprevious,hasnextpage,haspreviouspage,istruncated,truncated,partial,incompleteresults',
    'page,pages,pagesize,pagenumber,pageindex,pagecount,pageinfo,paging,pagination,perpage,currentpage,lastpage,firstpage',
    'limit,offset,itemsperpage,startindex,firstid,lastid,self,etag,status,statuscode,code,success,ok,error,errors,warnings',
    'meta,metadata,extensions,responseheader,responsemetadata,header,headers,columns,fields,schema,links,link,kind,object,requestid',
    // Fields in the output of this program with --json.
    'complete,asof,covered,gone,leftout',
    'version,apiversion,schemaversion,formatversion,timestamp,generatedat,exportedat,exportdate,fetchedat,elapsed,elapsedms',
    // DataTables, and JSON:API.
    'draw,recordstotal,recordsfiltered,secho,itotalrecords,itotaldisplayrecords,jsonapi',
    '@context,@type,@id,@odata.context,@odata.count,@odata.nextlink,@odata.deltalink',
  ].flatMap((names) => names.split(',')),
);
/** Fields next to the features of GeoJSON. */
const GEOJSON = new Set(['type', 'features', 'crs', 'bbox']);
const SPAN_KEY = /^(?:trace|span)_?id$/i;
/** Names of files that hold one row per line. */
export const LINES_NAME = /\.(?:jsonl|ndjson|jsonlines)$/i;
const MAX_NAMED = 5;

interface Chosen {
  /** Path of the chosen list; null if the whole document is one row. */
  list: string | null;
  /** The possible choices, lists first; empty if there is no list. */
  choices: string[];
  notes: string[];
  /** Keys next to the list. They do not become part of any row. */
  leftOut: LedgerOmission[];
}

/**
 * Lists that hold the rows in documents with further lists, and the fields that identify the program that wrote them.
 */
const KNOWN: readonly { list: string; besides: readonly string[] }[] = [
  // promptfoo
  { list: 'results.results', besides: ['evalId', 'config'] },
  // DeepEval
  { list: 'testCases', besides: ['testPassed', 'testFailed'] },
  // ClickHouse
  { list: 'data', besides: ['meta', 'rows'] },
  // JSON:API
  { list: 'data', besides: ['included'] },
  // Stripe
  { list: 'data', besides: ['object', 'has_more'] },
  // Salesforce
  { list: 'records', besides: ['totalSize', 'done'] },
  // CKAN
  { list: 'result.records', besides: ['help', 'result'] },
  // ArcGIS
  { list: 'features', besides: ['fields', 'features'] },
  // HELM
  { list: 'request_states', besides: ['adapter_spec'] },
  // Solr
  { list: 'response.docs', besides: ['responseHeader'] },
  // Prometheus and Loki
  { list: 'data.result', besides: ['status', 'data'] },
  // CloudWatch
  { list: 'events', besides: ['nextForwardToken'] },
  { list: 'events', besides: ['searchedLogStreams'] },
  { list: 'MetricDataResults', besides: ['Messages'] },
  { list: 'Datapoints', besides: ['Label'] },
];

function knownList({ fields }: DocumentFields, paths: readonly string[]): string | null {
  const keys = new Set(fields.map(({ key }) => key));
  const found = KNOWN.find(
    ({ list, besides }) => paths.includes(list) && besides.every((key) => keys.has(key)),
  );
  return found?.list ?? null;
}

/** Path of a list that describes the columns of another one, as written by pandas, BigQuery and Hugging Face. */
const DESCRIPTION = /(?:^|\.)(?:schema\.fields|fields|columns|features)$/;

const isDescription = (path: string, paths: readonly string[]): boolean =>
  DESCRIPTION.test(path) && paths.some((each) => each === 'data' || each === 'rows');

/** True if a list of this document may hold its rows, because of its name or because the document has nothing else. */
export function mayHoldRows(outline: Outline): boolean {
  return !isSpan(outline.root) && listsOfRows(outline).length > 0;
}

/**
 * True for an object that a person may take for several rows: it contains a list of objects, or nothing but lists and
 * objects.
 */
export function isDoubtfulRow({ lists, root: { fields, total } }: Outline): boolean {
  if (lists.some(({ key }) => !isPart(key))) return true;
  const areContainers = fields.every(
    ({ key, list, inner }) => !isPart(key) && (list !== null || inner !== null),
  );
  return total > 1 && areContainers;
}

/** The list that is reached if each object on the way has a single key; otherwise null. */
function onlyList({ fields, total }: DocumentFields): DocumentField['list'] {
  const [field] = fields;
  if (total !== 1 || field === undefined) return null;
  return field.inner === null ? field.list : onlyList(field.inner);
}

function listsOfRows({ lists, root }: Outline): string[] {
  const only = onlyList(root);
  return lists
    .filter((list) => {
      const key = list.key.toLowerCase();
      return ROWS.has(key) || (lists.length === 1 && list === only && !PARTS.has(key));
    })
    .map(({ path }) => path);
}

function isSpan({ fields }: DocumentFields): boolean {
  return fields.some(
    ({ key, inner }) =>
      SPAN_KEY.test(key) || (key === 'context' && inner?.fields.some((each) => SPAN_KEY.test(each.key))),
  );
}

/** True if the only fields are lists of objects, objects that contain them, and envelope fields. */
function isEnvelope({ fields, total }: DocumentFields): boolean {
  const keys = fields.map(({ key }) => key);
  const isGeoJson = keys.includes('features') && keys.every((key) => GEOJSON.has(key));
  return (
    total <= MAX_FIELDS &&
    (isGeoJson ||
      fields.every((field) => {
        if (isEnvelopeKey(field.key)) return true;
        if (isFilled(field)) return !isPart(field.key);
        return field.inner !== null && holdsList(field) && isEnvelope(field.inner);
      }))
  );
}

const isEnvelopeKey = (key: string): boolean => ENVELOPE.has(key.replaceAll(/[_-]/g, '').toLowerCase());
const isFilled = ({ list }: DocumentField): boolean => list !== null && list.objects > 0;
const holdsList = (field: DocumentField): boolean =>
  isFilled(field) || (field.inner?.fields.some(holdsList) ?? false);

/**
 * True for a table that is not a list of rows: an object per column, with equal row numbers as keys or with a list of
 * values; rows keyed by their numbers; or a list of names and a list of rows of cells.
 */
export function isOtherTable(root: DocumentFields): boolean {
  const { fields, total } = root;
  if (mayBeResult(root)) return true;
  const keys = fields.map(({ key }) => key);
  if (keys.includes('columns') && keys.includes('data'))
    return fields.every(({ key, list }) => key !== 'data' || list === null || list.objects === 0);
  const areRows = keys.every(isNumber) && fields.every(({ inner }) => inner !== null && inner.total > 0);
  return total > 1 && (areRows || isOfColumns(root) || isOfLists(fields));
}

/**
 * True if the document may have a list of names and a list of rows of cells. It must be read completely to be certain.
 */
function mayBeResult({ fields }: DocumentFields): boolean {
  const has = (key: string) => fields.some((field) => field.key === key);
  const others = (key: string) => fields.find((field) => field.key === key)?.list?.others ?? 0;
  if (RESULT_PLACES.some(([names, rows]) => has(names) && others(rows) > 0)) return true;
  if (has('resultSetMetaData') && others('data') > 0) return true;
  if (has('majorDimension') && others('values') > 1) return true;
  if (has('manifest') && has('result')) return true;
  if (has('statistics') && others('results') > 0) return true;
  if (fields.some(({ key, inner }) => key === 'ResultSet' && inner !== null)) return true;
  return fields.some(({ key, list }) => RESULT_TABLES.includes(key) && list?.objects === 1);
}

function isOfColumns({ fields }: DocumentFields): boolean {
  const [first] = fields;
  const keys = first?.inner?.fields.map(({ key }) => key) ?? [];
  return (
    keys.length > 0 &&
    keys.every(isNumber) &&
    fields.every(
      ({ inner }) =>
        inner?.total === first?.inner?.total && inner?.fields.every(({ key }, at) => key === keys[at]),
    )
  );
}

function isOfLists(fields: readonly DocumentField[]): boolean {
  const rows = fields[0]?.list?.others ?? 0;
  const areColumns = fields.every(
    ({ key, list }) => !isPart(key) && list?.others === rows && list.objects === 0,
  );
  return rows > 1 && areColumns;
}

/** True if every field is an object with the same first key, as in an export of records keyed by their ids. */
export function areRowsByKey({ fields, total }: DocumentFields): boolean {
  const first = fields[0]?.inner?.fields[0]?.key;
  return total > 1 && first !== undefined && fields.every(({ inner }) => inner?.fields[0]?.key === first);
}

/** Minimum number of fields of each record for records with equal fields to be rows. A message may have one. */
const MIN_EQUAL_FIELDS = 2;

/**
 * True for records keyed by their ids that all have the same fields, as pandas writes a table with orient="index". Keys
 * of parts, such as input and output, belong to one record.
 */
function areEqualRowsByKey(root: DocumentFields): boolean {
  const keysOf = (inner: DocumentFields | null) => inner?.fields.map(({ key }) => key).join('\n');
  const [first] = root.fields;
  const count = first?.inner?.total ?? 0;
  return (
    areRowsByKey(root) &&
    !root.fields.some(({ key }) => isPart(key)) &&
    count >= MIN_EQUAL_FIELDS &&
    count <= MAX_FIELDS &&
    root.fields.every(({ inner }) => inner?.total === count && keysOf(inner) === keysOf(first?.inner ?? null))
  );
}

const decisionError = (name: string, what: string, choices: readonly string[]): AppError =>
  new AppError('NEEDS_DECISION', `${name} is one JSON object ${what}. Nothing was read.`, {
    file: name,
    sheets: [...choices],
    nextStep: `Choose one under Rows, or on the command line with --sheet ${quotedChoice(choices[0] ?? '')}`,
  });

const quotedChoice = (choice: string): string => (/\s/.test(choice) ? `"${choice}"` : choice);

/** A list in the place of rows that has none: it is empty, or its elements are lists of cells. */
const hasNoRows = ({ key, list }: DocumentField): boolean =>
  list !== null && ROWS.has(key.toLowerCase()) && list.objects === 0 && list.others === list.lists;

/** The lists in the place of rows if all other fields belong to an envelope; otherwise null. */
function listsWithoutRows({ fields, total }: DocumentFields): NonNullable<DocumentField['list']>[] | null {
  if (total > MAX_FIELDS) return null;
  const found = fields.map((field) => {
    if (hasNoRows(field) && field.list !== null) return [field.list];
    if (isEnvelopeKey(field.key)) return [];
    return field.inner === null ? null : listsWithoutRows(field.inner);
  });
  const lists = found.flatMap((each) => each ?? []);
  return found.includes(null) ? null : lists;
}

/**
 * The only list in the place of the rows of an answer, if it is empty or has lists of cells without names. Null if
 * there is none.
 */
export function listWithoutRows({ root }: Outline): DocumentField['list'] {
  const [list = null, ...others] = listsWithoutRows(root) ?? [];
  return others.length > 0 || isSpan(root) ? null : list;
}

/** Throws FILE_EMPTY for an answer with an empty list of rows, FILE_MALFORMED for one whose rows have no names. */
function refuseNoRows(name: string, outline: Outline): void {
  const list = listWithoutRows(outline);
  if (list === null) return;
  if (list.others === 0)
    throw new AppError(
      'FILE_EMPTY',
      `${name} has no rows: its list “${list.path}” is empty. Export it again with rows, or read the file as one row (--sheet "${WHOLE_DOCUMENT}").`,
      { file: name },
    );
  throw new AppError(
    'FILE_MALFORMED',
    `Expected objects in the list “${list.path}” of ${name}, got ${counted(list.lists, 'list')} of cells without names. Write each with the names of its columns, such as {"id": 1}, or read the file as one row (--sheet "${WHOLE_DOCUMENT}").`,
    { file: name },
  );
}

/** True for the key of a list that is part of one record. */
const isPart = (key: string): boolean => PARTS.has(key.toLowerCase());

/**
 * The list to read. `wanted`: the list that a person chose. Without a choice, a list is read only if all other fields
 * belong to an envelope and the file is not named as JSON Lines; otherwise the whole object is one row. Throws
 * NEEDS_DECISION if several lists can hold the rows, INVALID_ARGUMENT for a list that does not exist.
 */
export function chooseRows(name: string, outline: Outline, wanted: string | null): Chosen {
  const { lists, root } = outline;
  const paths = lists.map(({ path }) => path);
  const likely = lists.filter((list) => !isDescription(list.path, paths));
  const choices = paths.length === 0 ? [] : [...paths, WHOLE_DOCUMENT];
  const named = listed(lists.map(({ path, objects }) => `${path} (${counted(objects, 'object')})`));
  const other =
    paths.length === 0
      ? ''
      : ` Lists in it can be read instead: ${named}. Choose one under Rows, or with --sheet.`;
  const whole: Chosen = {
    ...{ list: null, choices, leftOut: [] },
    notes: [
      `JSON: one object, read as one row.${other}`,
      ...(isOtherTable(root)
        ? [
            'If the object is a table, write it again as a list of rows: pandas does it with orient="records".',
          ]
        : areRowsByKey(root)
          ? [
              'Each of its values is an object. If these are the rows, write them as a list: jq "to_entries | map({_key: .key} + .value)" does it, with the key of each as “_key”.',
            ]
          : []),
    ],
  };
  if (wanted === WHOLE_DOCUMENT) return whole;
  if (wanted === null && !LINES_NAME.test(name) && !isOtherTable(root)) refuseNoRows(name, outline);
  if (wanted !== null && !paths.includes(wanted))
    throw new AppError(
      'INVALID_ARGUMENT',
      `${name} has no list of objects “${wanted}”. Expected one of: ${choices.join(', ') || 'none, it has no list'}.`,
    );
  const isSure = !LINES_NAME.test(name) && !isSpan(root) && isEnvelope(root);
  const known = knownList(root, paths);
  const sure = known === null ? (isSure ? listsOfRows({ ...outline, lists: likely }) : []) : [known];
  if (wanted === null && known === null && isSure && likely.length > 1)
    throw decisionError(name, `with several lists that can hold its rows: ${named}`, choices);
  if (wanted === null && !LINES_NAME.test(name) && choices.length === 0 && areEqualRowsByKey(root))
    throw decisionError(
      name,
      `of ${counted(root.total, 'object')} with the same fields, which can be its rows or one row`,
      [TABLE_DOCUMENT, WHOLE_DOCUMENT],
    );
  const list = wanted ?? sure[0];
  const found = lists.find(({ path }) => path === list);
  if (list === undefined || found === undefined) return whole;
  const { beside, unlisted } = besideList(root, found);
  const keys = beside.map(({ path }) => path);
  const rest =
    keys.length === 0 ? '' : ` Keys beside it are skipped: ${listed(keys, keys.length + unlisted)}.`;
  return {
    ...{ list, choices, leftOut: omissionsOf(beside, unlisted) },
    notes: [
      `JSON: one object; its list “${list}” is read, ${counted(found.objects, 'object')}, a row each.${rest}`,
    ],
  };
}

/** Fields next to a list, in the objects that contain it. */
interface Beside {
  beside: { path: string; values: number }[];
  /** Number of fields that the outline does not list. */
  unlisted: number;
}

function besideList(root: DocumentFields, found: DocumentField['list']): Beside {
  const leadsTo = (field: DocumentField): boolean =>
    field.list === found || (field.inner?.fields.some(leadsTo) ?? false);
  const all: Beside = { beside: [], unlisted: 0 };
  const add = ({ fields, total }: DocumentFields, before: string): void => {
    all.unlisted += Math.max(0, total - fields.length);
    for (const field of fields) {
      const path = `${before}${field.key}`;
      const { list, inner } = field;
      if (!leadsTo(field)) all.beside.push({ path, values: list === null ? 1 : list.objects + list.others });
      else if (inner !== null) add(inner, `${path}.`);
    }
  };
  add(root, '');
  return all;
}

function omissionsOf(beside: Beside['beside'], unlisted: number): LedgerOmission[] {
  const omissions: LedgerOmission[] = beside.map(({ path, values }) => ({
    ...{ kind: 'key', name: path, count: values, line: null },
    reason: 'it stands beside the list that is read',
  }));
  if (unlisted > 0)
    omissions.push({
      ...{ kind: 'other key', name: '', count: unlisted, line: null },
      reason: 'they stand beside the list that is read',
    });
  return omissions;
}

function listed(names: readonly string[], total = names.length): string {
  const rest = total - Math.min(names.length, MAX_NAMED);
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${numberText(rest)} more` : '');
}
