import { protocol } from 'electron';
import { answerApp } from './app-answers.ts';
import type { PagesToPrint } from './pages-to-print.ts';
import { APP_SCHEME } from './renderer-files.ts';

/** Must run before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built renderer as app://spandeck/, and no file outside its folder; and the pages that are printed now. */
export function serveApp(rendererDir: string, toPrint: PagesToPrint): void {
  protocol.handle(APP_SCHEME, ({ url }) => toPrint.answer(url) ?? answerApp(rendererDir, url));
}

/** Loads the runtime's own classes of answers, which takes 50 ms, before the first request waits for them. */
export function prepareAnswers(): void {
  new Response(null);
}
