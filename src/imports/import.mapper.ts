import { toTimestamp } from '../http/request/timestamp';
import { type ImportRow } from './data/import-run.repository';
import {
  type ImportDto,
  type ImportPlanDto,
  type ImportProgressDto,
  type ImportReportDto,
} from './dto/import.dto';
import { ImportState, READING_PHASES } from './import-state';

const NAMES: Readonly<Record<ImportState, ImportDto['state']>> = {
  [ImportState.Running]: 'running',
  [ImportState.Stopped]: 'stopped',
  [ImportState.Done]: 'done',
  [ImportState.Cancelling]: 'cancelling',
  [ImportState.Cancelled]: 'cancelled',
  [ImportState.Refused]: 'refused',
};

export const toImportDto = (run: ImportRow): ImportDto => ({
  id: run.id,
  name: run.name,
  size: run.size,
  state: NAMES[run.state],
  progress: toProgress(run),
  plan: run.plan && toPlan(run.plan),
  report: run.report && toReport(run.report),
  error: run.error,
  createdUserId: run.createdUserId,
  created: toTimestamp(run.created),
  finished: run.finished === null ? null : toTimestamp(run.finished),
});

function toProgress(run: ImportRow): ImportProgressDto {
  const { phase, source } = run;
  if (!source || !READING_PHASES.has(phase)) return { ...countedProgress(run), what: '', waitingUntil: null };
  const { what, total, waitingUntil } = source.reading;
  return {
    ...{ phase, what, done: run.done, total },
    waitingUntil: waitingUntil === null || waitingUntil < Date.now() ? null : toTimestamp(waitingUntil),
  };
}

function countedProgress({
  phase,
  kind,
  done,
  plan,
}: ImportRow): Omit<ImportProgressDto, 'what' | 'waitingUntil'> {
  const counts = Object.entries(plan?.records ?? {});
  const sum = (some: typeof counts): number => some.reduce((all, [, count]) => all + count, 0);
  if (phase === 'write') {
    const before = counts.slice(0, counts.findIndex(([name]) => name === kind) + 1).slice(0, -1);
    return { phase, done: sum(before) + done, total: sum(counts) };
  }
  const total: Partial<Record<string, number>> = {
    link: plan?.records.issue,
    files: plan && plan.files.count + plan.files.lost.length,
    repositories: plan?.repositories.count,
  } as Record<string, number>;
  return { phase, done, total: total[phase] ?? 0 };
}

const toPlan = ({
  files,
  repositories,
  projects,
  ...plan
}: NonNullable<ImportRow['plan']>): ImportPlanDto => ({
  records: plan.records,
  files: files.count,
  fileBytes: files.bytes,
  repositories: repositories.count,
  projects: projects.map(({ key, as, name }) => ({ key, as, name })),
  people: plan.people,
  unknownPeople: plan.unknownPeople,
  losses: plan.losses,
});

const toReport = ({ compared, differences, source }: NonNullable<ImportRow['report']>): ImportReportDto => ({
  ...{ compared, differences, source: source ?? null },
});
