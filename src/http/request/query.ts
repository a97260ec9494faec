import { type Request } from 'express';
import { API_KEY_PARAMETER } from './credentials';
import { Form, parseForm } from './form';

/** A request whose query string is parsed on first use. */
export interface QueriedRequest extends Request {
  parsedQuery?: Form;
}

/** Returns the parsed query string, without a credential. Parsed only once, although the access guard and the reader both use it. */
export function queryOf(request: QueriedRequest): Form {
  request.parsedQuery ??= parseQuery(request);
  return request.parsedQuery;
}

function parseQuery({ originalUrl }: Request): Form {
  const mark = originalUrl.indexOf('?');
  if (mark === -1) return new Form();
  const query = parseForm(originalUrl.slice(mark + 1));
  query.entries.delete(API_KEY_PARAMETER);
  return query;
}
