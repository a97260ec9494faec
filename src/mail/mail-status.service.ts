import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toTimestamp } from '../http/request/timestamp';
import {
  countFailedLetters,
  countPausedAddresses,
  FAILED_MS,
  findPausedAddresses,
  findRefusedDomains,
  readMailFigures,
} from './data/mail-figures';
import { type MailStatusDto } from './dto/mail-status.dto';
import { MailSettings } from './sending/mail-settings';

/** Maximum number of addresses that are named. */
const MAX_NAMED = 100;

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
    return {
      enabled: isOn,
      server: server ? `${server.host}:${server.port}` : null,
      from: isOn ? from : null,
      pending: figures.pending,
      oldestPending: timestampOf(figures.oldest),
      failed: await countFailedLetters(dataSource, since),
      failures: figures.failures,
      failingSince: timestampOf(figures.failingSince),
      pausedUntil: timestampOf(figures.pausedUntil),
      reason: figures.failures === 0 ? null : figures.reason,
      refusedDomains: await findRefusedDomains(dataSource, since),
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

  /** Reads what metrics show: the letters that wait, and the age of the oldest, in milliseconds. */
  async readBacklog(now = Date.now()): Promise<{ pending: number; oldestAge: number; failures: number }> {
    const { pending, oldest, failures } = await readMailFigures(this.dataSource);
    return { pending, oldestAge: oldest === null ? 0 : Math.max(0, now - oldest), failures };
  }
}

const timestampOf = (time: number | null | undefined): string | null => (time ? toTimestamp(time) : null);
