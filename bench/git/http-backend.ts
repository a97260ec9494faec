import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable } from 'node:stream';

/** The limit: Node's bare `http` server that runs `git http-backend` as a CGI program; no authentication, no limits. */
const { PORT = '0', REPOSITORIES = '', PATH } = process.env;
const HEAD_END = '\r\n\r\n';

function runBackend(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: REPOSITORIES,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: header('git-protocol'),
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  pipeCgiResponse(child.stdout, response);
  child.once('exit', (code) => {
    if (code !== 0) response.destroy();
  });
}

/** Sends the head that a CGI program prints, and pipes the rest. */
function pipeCgiResponse(output: Readable, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) return;
    output.off('data', read);
    let status = 200;
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/);
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + HEAD_END.length));
    output.pipe(response);
  };
  output.on('data', read);
}

createServer((request, response) => {
  if (request.url === '/health/ready') response.end();
  else runBackend(request, response);
}).listen(Number(PORT), '127.0.0.1');
