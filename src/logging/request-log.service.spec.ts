import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Environment } from '../config/environment';
import { RequestLogService } from './request-log.service';

describe(RequestLogService.name, () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const debug = vi.spyOn(Logger.prototype, 'debug').mockImplementation(() => undefined);

  beforeEach(() => {
    vi.useFakeTimers();
    vi.clearAllMocks();
  });
  afterEach(() => vi.useRealTimers());

  /** Simulates a request with a duration in milliseconds and a given end. */
  function answer(
    settings: Pick<Environment, 'LOG_LEVEL' | 'LOG_SLOW_REQUEST'>,
    duration: number,
    { path = '/users/:userId', writableFinished = true } = {},
  ): RequestLogService {
    const requests = new RequestLogService(settings as Environment);
    const socket = Object.assign(new EventEmitter(), { destroyed: false, remoteAddress: '192.0.2.1' });
    const request = { id: 'id', method: 'GET', url: '/users/1?apiKey=secret', routePath: path, socket };
    const response = Object.assign(new EventEmitter(), {
      req: request,
      socket,
      statusCode: 200,
      writableFinished,
    });
    requests.watch(request as unknown as Request, response as unknown as Response);
    vi.advanceTimersByTime(duration);
    response.emit('close');
    return requests;
  }

  const DETAILS = { requestId: 'id', operation: 'GET /users/:userId', userId: null, address: '192.0.2.1' };

  it('logs a warning for a slow request', () => {
    const requests = answer({ LOG_LEVEL: 'info', LOG_SLOW_REQUEST: 1000 }, 1500);
    expect(requests.isOn).toBe(true);
    expect(warn).toHaveBeenCalledWith({ ...DETAILS, status: 200, duration: 1500 }, 'Slow request');
    expect(debug).not.toHaveBeenCalled();
  });

  it('logs a fast request only at the debug level', () => {
    answer({ LOG_LEVEL: 'info', LOG_SLOW_REQUEST: 1000 }, 999);
    expect(debug).not.toHaveBeenCalled();
    answer({ LOG_LEVEL: 'debug', LOG_SLOW_REQUEST: 1000 }, 999);
    expect(debug).toHaveBeenCalledWith({ ...DETAILS, status: 200, duration: 999 }, 'Request');
    expect(warn).not.toHaveBeenCalled();
  });

  it('logs no status for a response that the client has not received', () => {
    answer({ LOG_LEVEL: 'debug', LOG_SLOW_REQUEST: 0 }, 1500, { writableFinished: false });
    expect(debug).toHaveBeenCalledWith({ ...DETAILS, status: null, duration: 1500 }, 'Request');
  });

  it('logs no health checks', () => {
    answer({ LOG_LEVEL: 'debug', LOG_SLOW_REQUEST: 1 }, 1500, { path: '/health/ready' });
    expect(debug).not.toHaveBeenCalled();
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    ['info', 0, false],
    ['error', 1000, false],
    ['silent', 1000, false],
    ['warn', 1000, true],
    ['debug', 0, true],
  ] as const)(
    'sets isOn with LOG_LEVEL=%s and LOG_SLOW_REQUEST=%i to %s',
    (LOG_LEVEL, LOG_SLOW_REQUEST, isOn) => {
      expect(new RequestLogService({ LOG_LEVEL, LOG_SLOW_REQUEST } as Environment).isOn).toBe(isOn);
    },
  );
});
