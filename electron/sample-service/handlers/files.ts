/** Upload of a file in one request or in parts (SERVICE.md F1.4). */
import { changedNow, madeNow } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, notFound, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { HandlerRequest, Handlers } from './handler.ts';

const TYPES: readonly [RegExp, string][] = [
  [/\.csv$/i, 'CSV'],
  [/\.parquet$/i, 'PARQUET'],
  [/\.(tar\.gz|tgz)$/i, 'TAR_GZ'],
];

function newFile(
  service: Service,
  filename: string,
  status: 'INITIATED' | 'SUCCESSFUL',
): JsonRecord & { id: string } {
  const type = TYPES.find(([pattern]) => pattern.test(filename))?.[1];
  if (type === undefined) throw malformed('The file name must end in .csv, .parquet or .tar.gz.');
  const id = service.random.uuid();
  const record = { id, filename, type, status, ...madeNow(service) };
  service.stores.resources.add('file', id, null, record);
  return record;
}

/** The file with this id, if its parts are still being uploaded. */
function openFile(service: Service, id: string): JsonRecord {
  const file = service.stores.resources.get('file', id);
  if (file === null) throw notFound('File', id);
  if (file['status'] !== 'INITIATED') throw new ServiceError(400, 'The file is complete already.');
  return file;
}

function partNumber(request: HandlerRequest): number {
  const text = request.part('part_number');
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw malformed('part_number must be a whole number from 1 on.');
  return number;
}

export const fileHandlers = {
  'files.upload': (service, request) => {
    const { name, bytes } = request.file('file');
    const file = newFile(service, name, 'SUCCESSFUL');
    service.stores.files.put({ fileId: file.id, number: 1, partId: service.random.uuid(), bytes });
    return { kind: 'record', data: file };
  },

  'files.multipart-init': (service, request) => ({
    kind: 'record',
    data: newFile(service, request.body.filename, 'INITIATED'),
  }),

  'files.multipart-upload': (service, request) => {
    const fileId = request.part('file_id');
    const number = partNumber(request);
    openFile(service, fileId);
    const partId = service.random.uuid();
    service.stores.files.put({ fileId, number, partId, bytes: request.file('file').bytes });
    return { kind: 'record', data: { part_id: partId } };
  },

  'files.multipart-complete': (service, request) => {
    const { file_id: fileId, parts } = request.body;
    const file = openFile(service, fileId);
    const stored = service.stores.files.parts(fileId);
    const isWhole =
      stored.length === parts.length &&
      stored.every(({ number, partId }) =>
        parts.some((part) => part.number === number && part.id === partId),
      );
    if (!isWhole)
      throw new ServiceError(400, `The file has ${stored.length} parts; name each with its number and id.`);
    const complete = { ...file, status: 'SUCCESSFUL', ...changedNow(service) };
    service.stores.resources.replace('file', fileId, complete);
    return { kind: 'record', data: complete };
  },
} satisfies Pick<
  Handlers,
  'files.upload' | 'files.multipart-init' | 'files.multipart-upload' | 'files.multipart-complete'
>;
