import { type Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { Environment } from '../config/environment';
import { AddressLimitsService } from './address-limits.service';

/**
 * Limits how many connections one user keeps open to this process. A connection is its user's from the first valid key on. One too
 * many is served, and closed after the response. Connections of a trusted proxy, which carry the requests of many users, do not count.
 */
@Injectable()
export class UserConnectionsService {
  private readonly limit: number;
  private readonly open = new Map<number, number>();
  private readonly known = new WeakSet<Socket>();

  constructor(
    environment: Environment,
    private readonly addresses: AddressLimitsService,
  ) {
    this.limit = environment.MAX_USER_CONNECTIONS;
  }

  /** The request has shown a valid key of a user. */
  noteUser(userId: number, { socket }: Request, response: Response): void {
    if (this.limit === 0 || this.known.has(socket) || socket.destroyed) return;
    this.known.add(socket);
    if (this.addresses.isProxy(socket)) return;
    const count = (this.open.get(userId) ?? 0) + 1;
    this.open.set(userId, count);
    socket.once('close', () => this.release(userId));
    if (count > this.limit) response.setHeader('Connection', 'close');
  }

  private release(userId: number): void {
    const rest = (this.open.get(userId) ?? 0) - 1;
    if (rest > 0) this.open.set(userId, rest);
    else this.open.delete(userId);
  }
}
