import { Injectable, type NestMiddleware, type OnModuleDestroy } from '@nestjs/common';
import { type NextFunction, type Request, type Response } from 'express';

/**
 * Once the service stops, has every answer close its connection: a client that keeps one busy would otherwise keep the
 * service from stopping.
 */
@Injectable()
export class ConnectionCloser implements NestMiddleware, OnModuleDestroy {
  private isStopping = false;

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  use(_request: Request, response: Response, next: NextFunction): void {
    if (this.isStopping) response.setHeader('Connection', 'close');
    next();
  }
}
