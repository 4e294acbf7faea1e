/** The endpoint table as routes: one for each path template, with the operation of each method. */
import {
  ENDPOINTS,
  type Endpoint,
  endpoint,
  type Method,
  OPERATION_IDS,
  type OperationId,
} from '../api/endpoints.ts';

export interface Route {
  template: string;
  /** The template in the notation of the router. */
  pattern: string;
  operations: Partial<Record<string, OperationId>>;
}

/** Sorts literal segments before parameters, so that `/summary` is not taken for an identifier. */
function compareTemplates(a: string, b: string): number {
  const [left, right] = [a, b].map((template) => template.replaceAll(/\{\w+\}/g, '~'));
  return left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1;
}

/** Operations of the specification. The others are known from other sources, and a service may lack them. */
export const SPECIFIED_OPERATIONS: ReadonlySet<OperationId> = new Set(
  OPERATION_IDS.filter((operation) => endpoint(operation).section.startsWith('S')),
);

export function routesOf(operations: readonly OperationId[] = OPERATION_IDS): Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const row: Endpoint = ENDPOINTS[operation];
    const route = routes.get(row.path) ?? {
      template: row.path,
      pattern: row.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      operations: {},
    };
    if (route.operations[row.method] !== undefined) {
      throw new Error(`The endpoint table has two rows for ${row.method} ${row.path}.`);
    }
    route.operations[row.method] = operation;
    routes.set(row.path, route);
  }
  return [...routes.values()].toSorted((a, b) => compareTemplates(a.template, b.template));
}

export function allowedMethods(route: Route): Method[] {
  return Object.values(route.operations).flatMap((operation) =>
    operation === undefined ? [] : [endpoint(operation).method],
  );
}
