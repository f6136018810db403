"""Choice of screencast or stills for a page, and their times."""

from math import inf

import pytest

from strap_live.pictures.capture_policy import CapturePolicy


@pytest.fixture
def policy():
    return CapturePolicy()


def frames(policy, count, start, every):
    for number in range(count):
        policy.took_frame(start + number * every)


def test_a_page_with_which_nothing_is_done_is_cast(policy):
    assert policy.plan(100).cast


def test_while_the_agent_acts_and_soon_after_there_is_no_cast(policy):
    policy.action_began()
    assert not policy.plan(100).cast
    policy.action_ended(101)
    assert not policy.plan(102.9).cast
    assert policy.plan(102.9).again_at == 103
    assert policy.plan(103.1).cast


def test_what_came_of_an_action_is_shown_unless_the_next_one_follows_at_once(policy):
    policy.took_still(99, changed=True, sharp=False)
    policy.action_began()
    policy.action_ended(100)
    assert policy.plan(100).still_at == pytest.approx(100.08)
    policy.took_still(100.1, changed=True, sharp=False)
    policy.action_began()
    assert policy.plan(100.2).still_at == pytest.approx(100.6)


def test_stills_of_quick_actions_keep_their_distance(policy):
    policy.action_began()
    policy.action_ended(100)
    policy.took_still(100.1, changed=True, sharp=False)
    policy.action_began()
    policy.action_ended(100.12)
    assert policy.plan(100.12).still_at == pytest.approx(100.35)


def test_a_page_that_moves_by_itself_gets_stills_until_it_rests(policy):
    frames(policy, 6, 100, 0.05)
    assert policy.moving
    policy.took_still(100.3, changed=True, sharp=False)
    assert policy.plan(100.4).still_at == pytest.approx(100.5)
    assert not policy.plan(100.4).cast
    for number in range(3):
        policy.took_still(101 + number, changed=False, sharp=False)
    assert policy.plan(104).cast


def test_frames_now_and_then_are_no_movement(policy):
    frames(policy, 20, 100, 0.2)
    assert not policy.moving


def test_what_moves_under_a_persons_hand_does_not_move_by_itself(policy):
    for number in range(12):
        policy.person_acted(100 + number * 0.05)
        policy.took_frame(100 + number * 0.05)
    assert not policy.moving


def test_who_holds_a_page_that_moves_sees_it_move(policy):
    frames(policy, 6, 100, 0.05)
    policy.held = True
    assert policy.plan(101).cast


def test_a_page_at_rest_is_shown_sharp_once(policy):
    policy.took_frame(100)
    plan = policy.plan(100.1)
    assert plan.sharp
    assert plan.still_at == pytest.approx(100.8)
    policy.took_still(100.8, changed=True, sharp=True)
    assert policy.plan(101).still_at == inf
