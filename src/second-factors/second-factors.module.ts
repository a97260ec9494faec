import { Module } from '@nestjs/common';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { SessionsModule } from '../sessions/sessions.module';
import { SpaceModule } from '../space/space.module';
import { UsersModule } from '../users/users.module';
import { PasskeyRepository } from './data/passkey.repository';
import { SecondFactorRepository } from './data/second-factor.repository';
import { EnrolmentService } from './enrolment.service';
import { PasskeyChallengesService } from './passkeys/passkey-challenges.service';
import { PasskeyChecksService } from './passkeys/passkey-checks.service';
import { PasskeyVerifierService } from './passkeys/passkey-verifier.service';
import { PasskeyLoader } from './passkeys/passkey.loader';
import { PasskeysController } from './passkeys/passkeys.controller';
import { PasskeysService } from './passkeys/passkeys.service';
import { RelyingPartyService } from './passkeys/relying-party.service';
import { RecoveryCodesService } from './recovery-codes.service';
import { RequiredFactorsService } from './required-factors.service';
import { SecondFactorsController } from './second-factors.controller';
import { SecondFactorsService } from './second-factors.service';

/** What users need besides their passwords, or in place of them, to sign in: authenticator apps, passkeys and recovery codes. */
@Module({
  imports: [UsersModule, SessionsModule, SpaceModule, AuditLogModule],
  controllers: [SecondFactorsController, PasskeysController],
  providers: [
    SecondFactorsService,
    EnrolmentService,
    RecoveryCodesService,
    RequiredFactorsService,
    PasskeysService,
    PasskeyChecksService,
    PasskeyChallengesService,
    PasskeyVerifierService,
    PasskeyLoader,
    RelyingPartyService,
    SecondFactorRepository,
    PasskeyRepository,
  ],
  exports: [
    SecondFactorsService,
    EnrolmentService,
    PasskeysService,
    PasskeyChecksService,
    PasskeyChallengesService,
    RelyingPartyService,
  ],
})
export class SecondFactorsModule {}
