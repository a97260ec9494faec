import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { InvitationRepository } from './data/invitation.repository';

/** The invitation named in the path. */
export interface InvitationResource extends AccessResource {
  id: number;
}

/** Finds the invitation of `/invitations/{invitationId}`. That it exists is no secret; only Administrators learn more. */
@Injectable()
export class InvitationLoader implements ResourceLoader<InvitationResource> {
  constructor(private readonly invitations: InvitationRepository) {}

  async load({ invitationId }: PathParameters): Promise<InvitationResource> {
    const id = parseId(invitationId);
    if (id === undefined || !(await this.invitations.exists(id))) throw new NoResourceError('invitation');
    return { id };
  }
}
