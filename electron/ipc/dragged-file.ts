/** The file for a drag out of the window: one that a job wrote, or one that is written for the drag. */
import type { ParsedArgs } from '../shared/contract.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { fileOfExport } from './job-handlers.ts';

/** The full path. Throws AppError if the job is not finished, or if the file cannot be written. */
export async function fileOf(
  { engine, dragOut }: Pick<HandlerDeps, 'engine' | 'dragOut'>,
  dragged: ParsedArgs<'app:drag-out'>,
): Promise<string> {
  if (dragged.of === 'made') {
    const path = await dragOut.pathFor(dragged.fileName);
    await engine.writeFile(path, Buffer.from(dragged.base64, 'base64'));
    return path;
  }
  const { jobs } = await engine.session(dragged.connectionId);
  if (dragged.of === 'export') return fileOfExport(jobs.get('export', dragged.id));
  const { kind, id } = dragged;
  const path = await dragOut.pathFor(jobs.fileName(kind, id, 'receipts'));
  await jobs.save(kind, id, 'receipts', path);
  return path;
}
