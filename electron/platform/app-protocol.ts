import { protocol } from 'electron';
import { answerApp } from './app-answers.ts';
import type { PagesToPrint } from './pages-to-print.ts';
import { APP_SCHEME } from './renderer-files.ts';

/** Declares the scheme of the application's pages; call it before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/**
 * Serves the built renderer as app://spandeck/, without any file outside of its folder, and the pages that are being
 * printed.
 */
export function serveApp(rendererDir: string, toPrint: PagesToPrint): void {
  protocol.handle(APP_SCHEME, ({ url }) => toPrint.answer(url) ?? answerApp(rendererDir, url));
}

/** Loads the runtime's classes for answers, which takes 50 ms, so that the first request does not wait for them. */
export function prepareAnswers(): void {
  new Response(null);
}
