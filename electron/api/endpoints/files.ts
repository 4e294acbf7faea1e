/** File upload (SERVICE.md F1.4): a small file in one request, a large one in parts. */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, write } from './row.ts';

export const startFileBody = z.looseObject({ filename: z.string().min(1) });

export const completeFileBody = z.looseObject({
  file_id: z.uuid(),
  parts: z.array(z.looseObject({ number: z.int().min(1), id: z.string().min(1) })).min(1),
});

const errors = [400, 401, 403, 500];

export const fileEndpoints = {
  'files.upload': write({
    method: 'POST',
    path: '/v3/files/upload',
    title: 'Upload a file',
    help: 'A CSV or Parquet file in one request, for publishing by its id.',
    section: 'F1.4',
    errors,
    body: null,
    multipart: { file: 'file' },
    item: records.file,
    limit: 'unlisted',
  }),
  'files.multipart-init': write({
    method: 'POST',
    path: '/v3/files/multipart-init',
    title: 'Begin a file in parts',
    help: 'Returns the id under which the parts are sent.',
    section: 'F1.4',
    errors,
    body: startFileBody,
    item: records.file,
    limit: 'unlisted',
  }),
  'files.multipart-upload': write({
    method: 'POST',
    path: '/v3/files/multipart-upload',
    title: 'Upload a part of a file',
    help: 'Parts are numbered from 1.',
    section: 'F1.4',
    errors: [...errors, 404],
    body: null,
    multipart: { file: 'file', file_id: 'text', part_number: 'number' },
    item: records.filePart,
    identity: 'part_id',
    limit: 'unlisted',
  }),
  'files.multipart-complete': write({
    method: 'POST',
    path: '/v3/files/multipart-complete',
    title: 'Complete a file in parts',
    help: 'Joins the parts in the order of their numbers.',
    section: 'F1.4',
    errors: [...errors, 404],
    body: completeFileBody,
    item: records.file,
    limit: 'unlisted',
  }),
} satisfies Record<string, Endpoint>;
