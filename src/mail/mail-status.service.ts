import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toTimestamp } from '../http/request/timestamp';
import {
  countFailedLetters,
  countPausedAddresses,
  FAILED_MS,
  findFailedInvitations,
  findPausedAddresses,
  findRefusedDomains,
  readMailFigures,
} from './data/mail-figures';
import { type MailStatusDto } from './dto/mail-status.dto';
import { MailSettings } from './sending/mail-settings';

/** Maximum number of addresses that are named. */
const MAX_NAMED = 100;

/** The letters that wait; times in milliseconds. */
export interface MailBacklog {
  pending: number;
  oldestAge: number;
  /** How long they take at the pace. */
  duration: number;
  /** Failures of the mail server since its last success. */
  failures: number;
}

/** Tells Administrators whether mail arrives. */
@Injectable()
export class MailStatusService {
  constructor(
    private readonly settings: MailSettings,
    private readonly dataSource: DataSource,
  ) {}

  /** Reads the status in a few statements of bounded cost. */
  async get(): Promise<MailStatusDto> {
    const { server, from, isOn } = this.settings;
    const { dataSource } = this;
    const figures = await readMailFigures(dataSource);
    const since = Date.now() - FAILED_MS;
    const paused = await findPausedAddresses(dataSource, MAX_NAMED);
    const failedInvitations = await findFailedInvitations(dataSource, since, MAX_NAMED);
    return {
      enabled: isOn,
      server: server ? `${server.host}:${server.port}` : null,
      from: isOn ? from : null,
      pending: figures.pending,
      oldestPending: timestampOf(figures.oldest),
      pendingSeconds: Math.ceil(this.settings.distanceOf(figures.pending) / 1000),
      failed: await countFailedLetters(dataSource, since),
      failures: figures.failures,
      failingSince: timestampOf(figures.failingSince),
      pausedUntil: timestampOf(figures.pausedUntil),
      reason: figures.failures === 0 ? null : figures.reason,
      refusedDomains: await findRefusedDomains(dataSource, since),
      failedInvitations: failedInvitations.map(({ address, reason, failed }) => ({
        mailAddress: address,
        reason,
        failed: toTimestamp(failed),
      })),
      pausedAddressCount: await countPausedAddresses(dataSource),
      pausedAddresses: paused.map(({ id, userId: loginName, address, reason, paused: time }) => ({
        userId: id,
        loginName,
        mailAddress: address,
        reason,
        paused: toTimestamp(time),
      })),
    };
  }

  /** Reads what metrics show: the letters that wait, the age of the oldest, and how long they take at the pace, in milliseconds. */
  async readBacklog(now = Date.now()): Promise<MailBacklog> {
    const { pending, oldest, failures } = await readMailFigures(this.dataSource);
    const oldestAge = oldest === null ? 0 : Math.max(0, now - oldest);
    return { pending, oldestAge, duration: this.settings.distanceOf(pending), failures };
  }
}

const timestampOf = (time: number | null | undefined): string | null => (time ? toTimestamp(time) : null);
