/** The HTTP application: the routes of the endpoint table, the test routes, and an envelope for all other requests. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { plainErrorBody } from './envelope.ts';
import { type ExchangeParts, exchange } from './exchange.ts';
import { openApiDocument } from './open-api.ts';
import { jsonReply, toResponse } from './replies.ts';
import { type Route, routesOf } from './routes.ts';
import { addSampleRoutes } from './sample-routes.ts';

type AppContext = Context<{ Bindings: HttpBindings }>;

export function createApp(parts: ExchangeParts): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const respond = async (context: AppContext, route: Route | null): Promise<Response> => {
    const reply = await exchange(parts, {
      request: context.req.raw,
      bindings: context.env,
      path: context.req.path,
      parameters: route === null ? {} : context.req.param(),
      route,
    });
    if (reply === null) return RESPONSE_ALREADY_SENT;
    const date = new Date(parts.service.clock.nowMs()).toUTCString();
    return toResponse({ ...reply, headers: { Date: date, ...reply.headers } });
  };
  addSampleRoutes(app, parts);
  app.get('/openapi.json', (context) =>
    toResponse(jsonReply(200, openApiDocument(new URL(context.req.url).origin))),
  );
  for (const route of routesOf()) app.all(route.pattern, (context) => respond(context, route));
  app.notFound((context) => respond(context, null));
  app.onError((error) => {
    parts.logCrash(error);
    return toResponse(
      jsonReply(500, plainErrorBody(500, 'The service failed while it handled the request.')),
    );
  });
  return app;
}
