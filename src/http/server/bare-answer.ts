import { STATUS_CODES } from 'node:http';
import { type ErrorResponse } from '../../errors/error-response';

/** Returns the whole HTTP response to a connection without a readable request, after which it is closed. */
export function bareAnswer({ status, headers, body }: ErrorResponse): string {
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
