/** Decides which list of a JSON document holds its rows. Pure. */
import { counted, numberText } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import type { Outline } from './json-document.ts';

/** Chosen in place of a list to read the document as one row. */
export const WHOLE_DOCUMENT = 'the whole object';

const ROWS = new Set(
  'data,rows,row,result,results,record,records,item,items,event,events,entries,document,documents,docs,hits,list,value,values,objects,elements,examples,samples,spans,traces,logs,observations,predictions,instances,dataset,table,features'.split(
    ',',
  ),
);
/** Lists that belong to one row: a conversation, its tools, the parts of a message. */
const PARTS = new Set(
  'messages,message,conversation,conversations,turns,history,input,inputs,output,outputs,choices,contents,content,parts,tools,tool_calls,attributes,tags'.split(
    ',',
  ),
);
const MAX_NAMED = 5;

interface Chosen {
  /** Path of the list; null: the document is one row. */
  list: string | null;
  /** The possible choices, the lists first; empty if there is no list. */
  choices: string[];
  notes: string[];
}

const lastKey = (path: string): string => (path.split('.').at(-1) ?? '').toLowerCase();

/** True if a list probably holds the rows of a document: by its name, or because the document has nothing else. */
export function holdsRows({ lists, keys }: Outline): string[] {
  const isAlone = keys.length === 1 && lists.length === 1;
  return lists
    .map(({ path }) => path)
    .filter((path) => {
      const key = lastKey(path);
      return ROWS.has(key) || (isAlone && path === keys[0] && !PARTS.has(key));
    });
}

/**
 * The list to read; `wanted`: the choice of a person. Throws NEEDS_DECISION if several lists can hold the rows,
 * INVALID_ARGUMENT for a list that is not there.
 */
export function chooseRows(name: string, outline: Outline, wanted: string | null): Chosen {
  const { lists, keys, isOfColumns } = outline;
  const paths = lists.map(({ path }) => path);
  const choices = paths.length === 0 ? [] : [...paths, WHOLE_DOCUMENT];
  const named = listed(lists.map(({ path, objects }) => `${path} (${counted(objects, 'object')})`));
  const whole: Chosen = {
    ...{ list: null, choices },
    notes: [
      `JSON: one object, read as one row.${paths.length === 0 ? '' : ` Lists in it can be read instead: ${named}.`}`,
      ...(isOfColumns && paths.length === 0
        ? [
            'If the object is a table by columns, write it again by rows: pandas does it with orient="records".',
          ]
        : []),
    ],
  };
  if (wanted === WHOLE_DOCUMENT) return whole;
  if (wanted !== null && !paths.includes(wanted))
    throw new AppError(
      'INVALID_ARGUMENT',
      `${name} has no list of objects “${wanted}”. Expected one of: ${choices.join(', ') || 'none, it has no list'}.`,
    );
  const sure = holdsRows(outline);
  if (wanted === null && sure.length > 0 && lists.length > 1)
    throw new AppError(
      'NEEDS_DECISION',
      `${name} is one JSON object with several lists that can hold its rows: ${named}. Nothing was read.`,
      {
        file: name,
        sheets: choices,
        nextStep: `Choose one under Rows, or on the command line with --sheet ${paths[0]}`,
      },
    );
  const list = wanted ?? sure[0];
  const found = lists.find(({ path }) => path === list);
  if (list === undefined || found === undefined) return whole;
  const others = keys.filter((key) => list !== key && !list.startsWith(`${key}.`));
  const rest = others.length === 0 ? '' : ` Keys beside it are passed over: ${listed(others)}.`;
  return {
    ...{ list, choices },
    notes: [
      `JSON: one object; its list “${list}” is read, ${counted(found.objects, 'object')}, a row each.${rest}`,
    ],
  };
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${numberText(rest)} more` : '');
}
