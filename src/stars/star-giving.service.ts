import { Injectable } from '@nestjs/common';
import { invalidIfDeleted } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError } from '../errors/domain-errors';
import { type Caller } from '../access/caller';
import { type AddStarDto, STAR_FIELDS, type StarField } from './dto/add-star.dto';
import { StarSubjectsService } from './star-subjects.service';
import { type StarResource } from './star.loader';
import { StarsService } from './stars.service';

const FIELDS = Object.keys(STAR_FIELDS) as StarField[];

/** Adds and removes users' stars. */
@Injectable()
export class StarGivingService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly stars: StarsService,
    private readonly subjects: StarSubjectsService,
  ) {}

  /**
   * Adds the caller's star to the subject that the body names; an existing star is kept.
   * @throws InvalidRequestError unless it names exactly one subject that the caller can see
   */
  async add(caller: Caller, body: AddStarDto): Promise<void> {
    const { field, id } = targetOf(body);
    const found = await this.subjects.find(caller, field, id);
    if (!found) throw InvalidRequestError.of(field, missing(field, id));
    const { target, ...starrable } = found;
    const work = this.transactions.run((manager) =>
      this.stars.add(manager, target, { ...starrable, presenterId: caller.id }),
    );
    await invalidIfDeleted(work, field, missing(field, id));
  }

  /** Removes a star. */
  remove({ id }: StarResource): Promise<void> {
    return this.transactions.run((manager) => this.stars.remove(manager, id));
  }
}

/** Returns the only subject that a body names. */
function targetOf(body: AddStarDto): { field: StarField; id: number } {
  const named = FIELDS.flatMap((field) => {
    const id = body[field];
    return id == null ? [] : [{ field, id }];
  });
  const [only, ...others] = named;
  const message = `Exactly one of ${FIELDS.join(', ')} is required.`;
  if (!only) throw InvalidRequestError.of(FIELDS.join(', '), message);
  if (others.length > 0) {
    throw new InvalidRequestError(named.map(({ field }) => ({ message, moreInfo: field })));
  }
  return only;
}

const missing = (field: StarField, id: number): string =>
  `There is no ${STAR_FIELDS[field]} with the id ${id}.`;
