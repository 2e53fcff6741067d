"""The privacy properties straight from their definitions: plain, slow, in exact fractions.

Also what pyCANON computes where that is another formula; docs/pycanon.md has the proofs.
"""

import copy
import math
from collections import Counter
from fractions import Fraction


class Groups:
    """How often each sensitive value occurs in each group of rows that share their keys."""

    def __init__(self, frame, keys, sensitive):
        groups = {}
        for *key, value in frame[[*keys, sensitive]].itertuples(index=False):
            groups.setdefault(tuple(key), Counter())[value] += 1
        self.by_key = groups
        self.groups = list(groups.values())
        self.table = sum(self.groups, Counter())

    def without_key(self, key):
        """The same table, but only groups that do not have this value among their keys are looked at."""
        rest = copy.copy(self)
        rest.groups = [group for keys, group in self.by_key.items() if key not in keys]
        return rest

    def shares(self, group):
        """(q, p) of each of the group's values: its share of the group and of the table."""
        rows, total = group.total(), self.table.total()
        return [(Fraction(count, rows), Fraction(self.table[value], total)) for value, count in group.items()]

    def gains(self):
        """((q - p) / p, p) of each value that is more frequent in a group than in the table."""
        pairs = (pair for group in self.groups for pair in self.shares(group))
        return [((q - p) / p, p) for q, p in pairs if q > p]


def k_anonymity(data):
    return min(group.total() for group in data.groups)


def alpha(data):
    return float(max(Fraction(max(group.values()), group.total()) for group in data.groups))


def distinct(data):
    return min(len(group) for group in data.groups)


def entropy_l(data):
    def entropy(group):
        return -math.fsum(q * math.log(q) for q in (count / group.total() for count in group.values()))

    return math.exp(min(entropy(group) for group in data.groups))


def recursive_l(data, c):
    """The largest l with r1 < c (rl + ... + rm) in every group; 1 always holds."""

    def largest(group):
        counts = sorted(group.values(), reverse=True)
        holds = [l for l in range(2, len(counts) + 1) if counts[0] < Fraction(c) * sum(counts[l - 1 :])]
        return max(holds, default=1)

    return min(largest(group) for group in data.groups)


def least_c(data, l, most_frequent_first=True):
    """The least whole c for which (c,l)-diversity holds. pyCANON sorts the other way round."""
    ratios = []
    for group in data.groups:
        counts = sorted(group.values(), reverse=most_frequent_first)
        ratios.append(Fraction(counts[0], sum(counts[l - 1 :])))
    return math.floor(max(ratios)) + 1


def basic_beta(data):
    return float(max((gain for gain, _ in data.gains()), default=0))


def enhanced_beta(data):
    """The least beta with (q - p) / p <= min(beta, -ln p) throughout; infinite if there is none."""
    gains = data.gains()
    reachable = all(gain <= -math.log(p) for gain, p in gains)
    return basic_beta(data) if reachable else math.inf


def pycanon_enhanced_beta(data):
    """The largest gain of any value, cut off at -ln p of the rarest: no value meets its own bound."""
    rarest = min(data.table.values()) / data.table.total()
    return min(basic_beta(data), -math.log(rarest))


def equal_closeness(data):
    def distance(group):
        return sum(max(q - p, 0) for q, p in data.shares(group))

    return float(max(distance(group) for group in data.groups))


def ordered_closeness(data):
    order, total = sorted(data.table), data.table.total()

    def distance(group):
        carried, moved, rows = 0, 0, group.total()
        for value in order:
            carried += group[value] * total - data.table[value] * rows
            moved += abs(carried)
        return Fraction(moved, rows * total * max(len(order) - 1, 1))

    return float(max(distance(group) for group in data.groups))


def delta(data):
    return max(abs(math.log(q / p)) for group in data.groups for q, p in data.shares(group))
