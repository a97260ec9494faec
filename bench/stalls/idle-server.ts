import { createServer } from 'node:http';

/**
 * Answers every request at once and does nothing else. Polled beside the service, it shows how long this machine itself keeps a process
 * waiting.
 */
createServer((_request, response) => response.end()).listen(Number(process.env.PORT), '127.0.0.1');
