import { Injectable } from '@nestjs/common';
import { toTimestamp } from '../http/request/timestamp';
import { MailServerRepository } from './data/mail-server.repository';
import { MailSettingRepository } from './data/mail-setting.repository';
import { type MailStatusDto } from './dto/mail-status.dto';
import { MailSettings } from './sending/mail-settings';

/** Maximum number of letters that are counted, and of addresses that are named. */
const MAX_COUNT = 10_000;
const MAX_NAMED = 100;

/** Tells Administrators whether mail arrives. */
@Injectable()
export class MailStatusService {
  constructor(
    private readonly settings: MailSettings,
    private readonly servers: MailServerRepository,
    private readonly choices: MailSettingRepository,
  ) {}

  /** Reads the status in a few statements of bounded cost. */
  async get(): Promise<MailStatusDto> {
    const { server, from, isOn } = this.settings;
    const { count, oldest } = await this.servers.countPending(MAX_COUNT);
    const row = await this.servers.find();
    const paused = await this.choices.findPaused(MAX_NAMED);
    return {
      enabled: isOn,
      server: server ? `${server.host}:${server.port}` : null,
      from: isOn ? from : null,
      pending: count,
      oldestPending: timestampOf(oldest),
      failures: row?.failures ?? 0,
      failingSince: timestampOf(row?.failingSince),
      pausedUntil: timestampOf(row?.pausedUntil),
      reason: row === undefined || row.failures === 0 ? null : row.reason,
      pausedAddressCount: await this.choices.countPaused(),
      pausedAddresses: paused.map(({ userId, address, reason, paused: since }) => ({
        userId,
        mailAddress: address,
        reason,
        paused: toTimestamp(since),
      })),
    };
  }

  /** Reads what metrics show: the letters that wait, and the age of the oldest, in milliseconds. */
  async readBacklog(now = Date.now()): Promise<{ pending: number; oldestAge: number; failures: number }> {
    const { count, oldest } = await this.servers.countPending(MAX_COUNT);
    const failures = (await this.servers.find())?.failures ?? 0;
    return { pending: count, oldestAge: oldest === null ? 0 : Math.max(0, now - oldest), failures };
  }
}

const timestampOf = (time: number | null | undefined): string | null => (time ? toTimestamp(time) : null);
