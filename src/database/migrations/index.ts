import { SortedIssues1795886830361 } from './1795886830361-sorted-issues';
import { UnreadNotifications1795960000000 } from './1795960000000-unread-notifications';
import { UrgentLetters1795724500000 } from './1795724500000-urgent-letters';
import { KeysOfActivityTexts1795738000000 } from './1795738000000-keys-of-activity-texts';
import { PaceOfLetters1795739000000 } from './1795739000000-pace-of-letters';
import { SourcesOfImports1795773000000 } from './1795773000000-sources-of-imports';
import { DeliveryFilters1795886400000 } from './1795886400000-delivery-filters';
import { Passkeys1795722447005 } from './1795722447005-passkeys';
import { SingleSignOn1795723142787 } from './1795723142787-single-sign-on';
import { Mail1795723688225 } from './1795723688225-mail';
import { Imports1795730101000 } from './1795730101000-imports';
import { WaysIn1795736400000 } from './1795736400000-ways-in';
import { Invitations1795712201635 } from './1795712201635-invitations';
import { SecondFactors1795714102979 } from './1795714102979-second-factors';
import { SignIn1795710967526 } from './1795710967526-sign-in';
import { InitialSchema1795229893040 } from './1795229893040-initial-schema';
import { WebhookDelivery1795231642882 } from './1795231642882-webhook-delivery';
import { CompleteProjects1795251875931 } from './1795251875931-complete-projects';
import { ReadLists1795280954966 } from './1795280954966-read-lists';
import { WikiRemoval1795283618954 } from './1795283618954-wiki-removal';
import { ActivityTexts1795305292174 } from './1795305292174-activity-texts';
import { LockVersions1795342753418 } from './1795342753418-lock-versions';
import { DisabledUsers1795354373996 } from './1795354373996-disabled-users';
import { AuditLog1795354931934 } from './1795354931934-audit-log';
import { CustomFields1795400010000 } from './1795400010000-custom-fields';
import { WatchingsAndViews1795400020000 } from './1795400020000-watchings-and-views';
import { Documents1795400030000 } from './1795400030000-documents';
import { SharedFiles1795400040000 } from './1795400040000-shared-files';
import { Teams1795400050000 } from './1795400050000-teams';
import { Git1795400080000 } from './1795400080000-git';
import { GitSize1795400081000 } from './1795400081000-git-size';
import { IssueCommits1795400082000 } from './1795400082000-issue-commits';
import { SearchIndex1795400090000 } from './1795400090000-search-index';
import { Icons1795400060000 } from './1795400060000-icons';
import { WebhookHealthAndRetention1795400130000 } from './1795400130000-webhook-health-and-retention';
import { UsedStorage1795400170000 } from './1795400170000-used-storage';
import { LimitsOfKeys1795400250000 } from './1795400250000-limits-of-keys';
import { type MigrationInterface } from 'typeorm';

/** Every migration, oldest first. `npm run migration:generate` adds to this list. */
export const migrations: (new () => MigrationInterface)[] = [
  InitialSchema1795229893040,
  WebhookDelivery1795231642882,
  CompleteProjects1795251875931,
  ReadLists1795280954966,
  WikiRemoval1795283618954,
  ActivityTexts1795305292174,
  LockVersions1795342753418,
  DisabledUsers1795354373996,
  AuditLog1795354931934,
  CustomFields1795400010000,
  WatchingsAndViews1795400020000,
  Documents1795400030000,
  SharedFiles1795400040000,
  Teams1795400050000,
  Icons1795400060000,
  Git1795400080000,
  GitSize1795400081000,
  IssueCommits1795400082000,
  SearchIndex1795400090000,
  WebhookHealthAndRetention1795400130000,
  UsedStorage1795400170000,
  LimitsOfKeys1795400250000,
  SignIn1795710967526,
  Invitations1795712201635,
  SecondFactors1795714102979,
  Passkeys1795722447005,
  SingleSignOn1795723142787,
  Mail1795723688225,
  UrgentLetters1795724500000,
  Imports1795730101000,
  WaysIn1795736400000,
  KeysOfActivityTexts1795738000000,
  PaceOfLetters1795739000000,
  SourcesOfImports1795773000000,
  DeliveryFilters1795886400000,
  SortedIssues1795886830361,
  UnreadNotifications1795960000000,
];
