import { Injectable } from '@nestjs/common';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { Environment } from '../config/environment';
import { KnownCallersService } from '../users/known-callers.service';
import { SecondFactorRepository } from './data/second-factor.repository';

/** Finds the callers who lack the second factor that `REQUIRE_MFA` requires, whom the access guard then refuses. */
@Injectable()
export class RequiredFactorsService {
  constructor(
    { REQUIRE_MFA: required }: Environment,
    known: KnownCallersService,
    private readonly factors: SecondFactorRepository,
  ) {
    // Without a requirement, a credential costs no further query.
    if (required === 'off') return;
    known.setFactorCheck(async (caller) => {
      const isCovered = required === 'all' || isAdministrator(caller);
      return isCovered && !caller.agent && !(await this.factors.exists(caller.id));
    });
  }
}

/** Also with a key that lacks these rights. */
const isAdministrator = ({ roleType, lacksAdmin }: Caller): boolean =>
  roleType === RoleType.Administrator || lacksAdmin === true;
