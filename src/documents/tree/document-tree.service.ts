import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { groupBy } from '../../database/sql/group-by';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { DocumentTreeRepository, type PlaceRow } from '../data/document-tree.repository';
import { DocumentRepository } from '../data/document.repository';
import { DocumentStatus } from '../document-status';
import { type Document } from '../entities/document.entity';

/** Maximum number of levels of a tree. */
export const MAX_DEPTH = 10;
/** Time that a document stays in the trash, in milliseconds. */
export const TRASH_MS = 30 * 24 * 60 * 60 * 1000;

/** The ids of a document and its project. */
interface DocumentKey {
  id: number;
  projectId: number;
}

/** The new position of a document. */
export interface Destination {
  /** Wire id of the parent; null for the top level. */
  parentUid: string | null;
  /** Whether to place it after its siblings instead of before them. */
  last: boolean;
}

type Place = Pick<Document, 'parentId' | 'depth' | 'position'>;

/**
 * Manages the trees of documents (`docs/decisions/0039-documents.md`). Every change locks the tree first, so that no parent is deleted or
 * moved below its own child concurrently. All descendants of a document in the trash are in the trash, too.
 */
@Injectable()
export class DocumentTreeService {
  constructor(
    private readonly trees: DocumentTreeRepository,
    private readonly documents: DocumentRepository,
  ) {}

  /** Locks the tree of a project until the transaction ends; must be the transaction's first statement. */
  lock(manager: EntityManager, projectId: number): Promise<void> {
    return this.trees.lock(manager, projectId);
  }

  /**
   * Returns the position of a new document; the tree must be locked.
   * @throws InvalidRequestError for a parent that cannot have it
   */
  async placeOf(manager: EntityManager, projectId: number, destination: Destination): Promise<Place> {
    const parent = await this.findParent(manager, projectId, destination.parentUid);
    return this.placeBelow(manager, projectId, parent, destination);
  }

  /**
   * Moves a document with its descendants; the tree must be locked. Descendants trashed together with it are restored with it.
   * @throws InvalidRequestError for a parent that cannot have it, NoResourceError when it has been removed
   */
  async move(manager: EntityManager, document: DocumentKey, destination: Destination): Promise<void> {
    const { projectId } = document;
    const places = await this.trees.findPlaces(manager, projectId);
    const own = find(places, document.id);
    const parent = await this.findParent(manager, projectId, destination.parentUid);
    if (parent !== null && (parent.id === own.id || isBelow(places, parent, own))) {
      throw parentError('A document cannot be its own descendant.');
    }
    const place = await this.placeBelow(manager, projectId, parent, destination);
    const moved = subtreeOf(places, own, () => true);
    const lowest = moved.reduce((most, { depth }) => Math.max(most, depth), 0) - own.depth + place.depth;
    if (lowest > MAX_DEPTH) throw tooDeepError();
    if (own.statusId === (DocumentStatus.Trashed as number)) {
      const restored = subtreeOf(places, own, ({ removalDue }) => removalDue === own.removalDue);
      await this.trees.setStatus(manager, idsOf(restored), DocumentStatus.Active, null);
    }
    await this.trees.deepen(manager, idsOf(moved), place.depth - own.depth);
    await this.documents.update(manager, own.id, { parentId: place.parentId, position: place.position });
  }

  /**
   * Moves a document with its descendants to the trash, or deletes it from there; the tree must be locked.
   * @returns whether it was in the trash
   * @throws NoResourceError when it has been removed
   */
  async delete(manager: EntityManager, document: DocumentKey): Promise<boolean> {
    const places = await this.trees.findPlaces(manager, document.projectId);
    const own = find(places, document.id);
    const wasTrashed = own.statusId === (DocumentStatus.Trashed as number);
    const now = Date.now();
    const ids = idsOf(subtreeOf(places, own, ({ statusId }) => statusId === own.statusId));
    if (wasTrashed) await this.trees.setStatus(manager, ids, DocumentStatus.Removed, now);
    else await this.trees.setStatus(manager, ids, DocumentStatus.Trashed, now + TRASH_MS);
    return wasTrashed;
  }

  private async findParent(
    manager: EntityManager,
    projectId: number,
    uid: string | null,
  ): Promise<PlaceRow | null> {
    return requireActive(uid === null ? null : await this.trees.findPlace(manager, projectId, uid));
  }

  private async placeBelow(
    manager: EntityManager,
    projectId: number,
    parent: PlaceRow | null,
    { last: isLast }: Destination,
  ): Promise<Place> {
    const depth = (parent?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH) throw tooDeepError();
    const parentId = parent?.id ?? null;
    const { first, last } = await this.trees.findEnds(manager, projectId, parentId);
    const position = isLast ? (last ?? 0) + 1 : (first ?? 0) - 1;
    return { parentId, depth, position };
  }
}

function requireActive(parent: PlaceRow | null | undefined): PlaceRow | null {
  if (parent === null) return null;
  if (parent?.statusId === (DocumentStatus.Active as number)) return parent;
  throw parentError('parentId must be a document of the project that is not in the trash.');
}

const parentError = (message: string): InvalidRequestError => InvalidRequestError.of('parentId', message);

const tooDeepError = (): InvalidRequestError =>
  parentError(`A tree of documents has at most ${MAX_DEPTH} levels.`);

function find(places: readonly PlaceRow[], id: number): PlaceRow {
  const own = places.find((place) => place.id === id);
  if (!own) throw new NoResourceError('document');
  return own;
}

function isBelow(places: readonly PlaceRow[], place: PlaceRow, ancestor: PlaceRow): boolean {
  const byId = new Map(places.map((one) => [one.id, one]));
  // Ends also where a manipulated backup has put documents below each other.
  const seen = new Set<PlaceRow>();
  for (let at: PlaceRow | undefined = place; at && !seen.has(at); at = byId.get(at.parentId ?? 0)) {
    if (at.id === ancestor.id) return true;
    seen.add(at);
  }
  return false;
}

/** Returns a document and its descendants, as far as each meets a condition. */
function subtreeOf(
  places: readonly PlaceRow[],
  root: PlaceRow,
  belongs: (place: PlaceRow) => boolean,
): PlaceRow[] {
  const children = groupBy(places, (place) => place.parentId);
  const found = new Set([root]);
  for (const place of found) {
    for (const child of children.get(place.id) ?? []) if (belongs(child)) found.add(child);
  }
  return [...found];
}

const idsOf = (places: readonly PlaceRow[]): number[] => places.map(({ id }) => id);
