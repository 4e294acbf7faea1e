/**
 * A saved mapping as a file: writes it, and reads untrusted input safely. The file names columns, keys and fields, and
 * the values that are replaced or added; it contains no rows. Pure.
 */
import type { Mapping } from '../../electron/shared/dataset-model.ts';
import {
  MAX_PRESET_NAME,
  type PresetContent,
  type SharedMapping,
  sharedMapping,
} from '../../electron/shared/preset-contract.ts';
import { isSharedText, readShared, sharedText } from '../../electron/shared/shared-text.ts';
import { formatCount } from './format.ts';
import { optionsText } from './upload-words.ts';

const MAPPING = { format: 'spandeck-mapping', noun: 'mapping', schema: sharedMapping };

/** File name suffix of mappings. */
export const MAPPING_FILE_ENDING = '.spandeck-mapping.json';
/** Larger files are not read. Even the widest mapping, with 2,000 columns, is smaller. */
export const MAX_MAPPING_FILE_BYTES = 8_000_000;
const LISTED = 12;

/** The text of a mapping file. A name that is too long is truncated. */
export const mappingText = ({ name, mapping }: SharedMapping): string =>
  sharedText(MAPPING.format, { name: name.trim().slice(0, MAX_PRESET_NAME).trim(), mapping });

/** Whether the content of a file looks like a mapping, even a damaged one. */
export const isMappingText = (text: string): boolean => isSharedText(MAPPING.format, text);

type ReadMapping = { isOk: true; shared: SharedMapping } | { isOk: false; problem: string };

export function readSharedMapping(text: string): ReadMapping {
  const read = readShared(
    MAPPING,
    text,
    'The file is damaged or cut off. Save it again, then drop it again.',
  );
  if (!read.isOk) return read;
  const { name, mapping } = read.value;
  return { isOk: true, shared: { name, mapping } };
}

/** Whether the mapping is for spans: such mappings are lists, while those for files name columns and a model. */
export const isOfSpans = (content: PresetContent): content is Mapping => Array.isArray(content);

/** Describes a mapping to the user, who decides whether to save it. */
export function describeMapping(content: PresetContent): { name: string; value: string }[] {
  if (isOfSpans(content)) {
    return [
      { name: 'For', value: 'spans that become items of a dataset' },
      {
        name: 'Fields',
        value: listed(content.map(({ bucket, field, key }) => `${bucket}.${field} from ${key}`)),
      },
    ];
  }
  const { layout, columns, model, constants, repairs, replacements } = content;
  const sent = columns.flatMap(({ source, target }) => (target === null ? [] : [`${source} as ${target}`]));
  const put = replacements.map(({ source, value, with: other }) =>
    other === null ? `${value} in ${source} is left out` : `${value} in ${source} becomes ${other}`,
  );
  return [
    { name: 'For', value: 'files that are sent as events; offered for those with the same columns' },
    { name: 'Model', value: model.name },
    { name: 'Sent', value: optionsText(content) },
    { name: 'Columns', value: `${listed(sent)} (of ${formatCount(layout.length, 'column')})` },
    ...facts(
      'Added',
      constants.map(({ target, value }) => `${target} = ${value}`),
    ),
    ...facts('Replaced', put),
    ...facts(
      'Repairs',
      repairs.map(({ source, problem }) => `${problem} in ${source}`),
    ),
  ];
}

const facts = (name: string, values: readonly string[]) =>
  values.length === 0 ? [] : [{ name, value: listed(values) }];

function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  const shown = names.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${formatCount(more, 'more', 'more')}` : shown || 'none';
}
