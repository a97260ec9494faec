import { type Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { Environment } from '../config/environment';
import { AddressLimitsService } from './address-limits.service';

/**
 * Limits the number of connections that one user keeps open to this process. A connection belongs to its user from the first
 * valid key. Excess connections are served, and closed after the response. Connections of a trusted proxy, which carry the
 * requests of many users, do not count.
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

  /** Assigns the connection of a request with a valid key to its user. */
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
