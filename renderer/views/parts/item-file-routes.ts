/** Adds a file to the items of a dataset. */
import { client } from '../../lib/client.ts';
import { app } from '../../state/app.svelte.ts';

/** Asks for a file and opens it. Nothing happens if the user cancelled. */
export async function chooseItemFile(dataset: { id: string; name: string }): Promise<void> {
  const [file] = await client.invoke('uploads:choose-files');
  if (file !== undefined) openItemFile(dataset, file);
}

/** Opens a dropped file. */
export async function dropItemFile(dataset: { id: string; name: string }, dropped: File): Promise<boolean> {
  const [file] = await client.offerFiles([dropped]);
  if (file === undefined) return false;
  openItemFile(dataset, file);
  return true;
}

function openItemFile(
  { id, name }: { id: string; name: string },
  file: { fileId: string; name: string },
): void {
  const params = { datasetId: id, name, fileId: file.fileId, fileName: file.name };
  app.tabs.open('item-file', `${file.name} → ${name}`, params);
}
