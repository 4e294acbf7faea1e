/** Texts about files that are sent unchanged. Pure. */
import type { WholeFile, WholeFileState } from '../../electron/shared/whole-file-contract.ts';
import { formatBytes, formatNumber } from './format.ts';

export const WHOLE_FILE_WORDS: Readonly<Record<WholeFileState, string>> = {
  scheduled: 'Starts later',
  sending: 'Sending',
  uploaded: 'Uploaded',
  publishing: 'Publishing',
  following: 'Reading',
  done: 'Published',
  failed: 'Failed',
  unknown: 'Unknown',
  interrupted: 'Interrupted',
  paused: 'Paused',
  cancelled: 'Cancelled',
};

/** State of the file, and the known facts about its rows. */
export function fileSentence(file: WholeFile): string {
  const reason = file.error === null ? '' : ` ${file.error.message}`;
  const rows =
    file.file === null ? 'No rows were published.' : 'The file is uploaded. No rows were published.';
  switch (file.state) {
    case 'scheduled':
      return file.error === null ? 'Nothing sent yet.' : `Waiting:${reason}`;
    case 'sending':
      return sendingText(file);
    case 'uploaded':
      return 'The service has the file but does not read it.';
    case 'publishing':
      return 'The service has the file. Requesting publication of its rows.';
    case 'following':
      return 'A job of the service is reading the file.';
    case 'done':
      return 'A job of the service has read the file.';
    case 'unknown':
      return `The rows may or may not be published. The file is not sent again. Check the jobs of the service.${reason}`;
    case 'interrupted':
      return `Spandeck quit while sending the file. ${rows}`;
    case 'paused':
      return `${rows} It continues with a token that the service accepts.${reason}`;
    case 'cancelled':
      return rows;
    case 'failed':
      return file.jobId === null ? `${rows}${reason}` : reason.trim();
  }
}

function sendingText({ parts, partsSent, bytesSent, sizeBytes }: WholeFile): string {
  if (parts === 1) return `Sending ${formatBytes(sizeBytes)} in one request.`;
  if (partsSent === parts) return `All ${formatNumber(parts)} parts sent. The service is joining them.`;
  const part = `Part ${formatNumber(partsSent + 1)} of ${formatNumber(parts)}`;
  return `${part} · ${formatBytes(bytesSent)} of ${formatBytes(sizeBytes)} sent`;
}

interface FileProgress {
  label: string;
  value: number | null;
  max: number;
  text?: string | undefined;
}

/** Progress of the work on the file; null while nothing is done with it. */
export function progressOfFile(file: WholeFile): FileProgress | null {
  const { parts, partsSent, progress } = file;
  if (file.state === 'sending') {
    const text = `${formatNumber(partsSent)} of ${formatNumber(parts)} parts`;
    return parts === 1
      ? { label: 'sending', value: null, max: 1 }
      : { label: 'sending', value: partsSent, max: parts, text };
  }
  if (file.state === 'publishing') return { label: 'publishing', value: null, max: 1 };
  if (file.state !== 'following') return null;
  const text = progress === null ? undefined : `${formatNumber(progress)} %`;
  return { label: 'being read', value: progress, max: 100, text };
}

/** The requests needed to send the file, in the same form as in \`jobs:plan\`. */
export function requestsOfFile({ parts, publishes }: WholeFile): { operation: string; count: number }[] {
  const publishing = publishes ? [{ operation: 'events.publish', count: 1 }] : [];
  if (parts === 1) return [{ operation: 'files.upload', count: 1 }, ...publishing];
  return [
    { operation: 'files.multipart-init', count: 1 },
    { operation: 'files.multipart-upload', count: parts },
    { operation: 'files.multipart-complete', count: 1 },
    ...publishing,
  ];
}
