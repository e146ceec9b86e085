//! The ledger of one account, the prices of models, and a purse that several processes share.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use proptest::prelude::*;
use silcrow_event::{Money, Spending, SpendingLimit, Usage};
use silcrow_exec::{
    AccountError, AccountKind, AccountStore, Budget, BudgetLimits, BudgetResource, Ledger,
    ModelPrice, Overdraft, PriceTable, Purse, ReserveError, SpendingLimits,
};

fn tokens(tokens: u64) -> Spending {
    Spending { tokens, ..Spending::default() }
}

fn limited(tokens: u64) -> SpendingLimit {
    SpendingLimit { tokens: Some(tokens), cost: None }
}

/// A step of a ledger.
#[derive(Clone, Debug)]
enum Step {
    Reserve {
        most: u64,
        overdraft: Overdraft,
    },
    /// Settles the oldest open reservation with this percentage of it.
    Settle(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let reserve = (0..200_u64, prop::bool::weighted(0.1)).prop_map(|(most, is_last)| {
        let overdraft = if is_last { Overdraft::Allowed } else { Overdraft::Denied };
        Step::Reserve { most, overdraft }
    });
    prop::collection::vec(prop_oneof![reserve, (0..=100_u64).prop_map(Step::Settle)], 0..100)
}

proptest! {
    /// The law of the ledger, also of one that is rebuilt from any prefix of its steps: every
    /// figure on the way is at least the real usage by then.
    #[test]
    fn overspend_is_at_most_one_reservation(
        limit in 0..1_000_u64,
        steps in steps(),
    ) {
        let mut ledger = Ledger::new(AccountKind::Run, limited(limit));
        let (mut open, mut used, mut largest) = (Vec::new(), 0, 0);
        for step in steps {
            match step {
                Step::Reserve { most, overdraft } => {
                    let before = ledger;
                    if ledger.reserve(tokens(most), overdraft).is_ok() {
                        open.push(most);
                        largest = largest.max(most);
                    } else {
                        prop_assert_eq!(ledger, before, "a refused reservation changes nothing");
                    }
                }
                Step::Settle(percent) if !open.is_empty() => {
                    let most = open.remove(0);
                    let cost = most * percent / 100;
                    used += cost;
                    ledger.settle(tokens(most), tokens(cost));
                }
                Step::Settle(_) => {}
            }
            let spent = ledger.balance().spent.tokens;
            prop_assert_eq!(spent, used + open.iter().sum::<u64>());
            prop_assert!(spent <= limit + largest, "{} of {}", spent, limit);
        }
    }

    /// The cost of a request is the exact sum, rounded up to a millionth.
    #[test]
    fn the_cost_of_a_request_is_exact(
        prices in prop::array::uniform3(0..100_000_000_u64),
        input in 0..10_000_000_u64,
        cached in 0..10_000_000_u64,
        output in 0..1_000_000_u64,
    ) {
        let [read, written, again] = prices.map(Money::from_micros);
        let price =
            ModelPrice { input: read, output: written, cached: again, cache_written: None };
        let cached = cached.min(input);
        let usage = Usage { input, cached, output, ..Usage::default() };
        let exact = u128::from(input - cached) * u128::from(read.micros())
            + u128::from(cached) * u128::from(again.micros())
            + u128::from(output) * u128::from(written.micros());
        let cost = u128::from(price.spending(&usage).cost.micros()) * 1_000_000;
        prop_assert!(cost >= exact && cost - exact < 1_000_000, "{} for {}", cost, exact);
        prop_assert_eq!(price.spending(&usage).tokens, input + output);
    }
}

#[test]
fn prices_match_name_last_part_or_star() {
    let price = |micros| ModelPrice { input: Money::from_micros(micros), ..ModelPrice::default() };
    let table = |names: &[(&str, u64)]| {
        PriceTable::new(names.iter().map(|(name, micros)| ((*name).to_owned(), price(*micros))))
    };
    let prices = table(&[("openai:a", 1), ("a", 2), ("m", 3)]);
    assert_eq!(prices.find("openai:a"), Some(price(1)));
    assert_eq!(prices.find("azure:a"), Some(price(2)));
    assert_eq!(prices.find("compatible:http://127.0.0.1:8080/v1#m"), Some(price(3)));
    assert_eq!(prices.find("openai:b"), None);
    assert_eq!(table(&[("*", 4)]).find("openai:b"), Some(price(4)));
}

/// A store of accounts in memory.
#[derive(Default)]
struct MemoryAccounts(Mutex<[(u64, Spending); 3]>);

impl AccountStore for MemoryAccounts {
    fn load(&self, account: AccountKind) -> BoxFuture<'_, Result<(u64, Spending), AccountError>> {
        let found = self.0.lock().unwrap()[account as usize];
        async move { Ok(found) }.boxed()
    }

    fn save(
        &self,
        account: AccountKind,
        expected: u64,
        spent: Spending,
    ) -> BoxFuture<'_, Result<Option<u64>, AccountError>> {
        let mut accounts = self.0.lock().unwrap();
        let place = &mut accounts[account as usize];
        let is_next = place.0 == expected;
        if is_next {
            *place = (expected + 1, spent);
        }
        async move { Ok(is_next.then_some(expected + 1)) }.boxed()
    }
}

fn spending(user: u64) -> SpendingLimits {
    SpendingLimits { user: limited(user), ..SpendingLimits::default() }
}

#[tokio::test]
async fn processes_share_account_spending() {
    let accounts = Arc::new(MemoryAccounts::default());
    let purse = || Purse::new(spending(100)).with_accounts(accounts.clone());
    let (one, other) = (purse(), purse());
    let first = one.reserve(tokens(60), Overdraft::Denied).await.unwrap();
    let Err(ReserveError::Exhausted(full)) = other.reserve(tokens(60), Overdraft::Denied).await
    else {
        panic!("the account has no room for both")
    };
    assert_eq!((full.account(), full.balance().spent), (AccountKind::User, tokens(60)));
    first.settle(tokens(20), Usage::default()).await.unwrap();
    // The other purse has an older version, and reads the account again.
    other
        .reserve(tokens(60), Overdraft::Denied)
        .await
        .unwrap()
        .settle(tokens(50), Usage::default())
        .await
        .unwrap();
    assert_eq!(one.reserve(tokens(30), Overdraft::Denied).await.unwrap().amount(), tokens(30));
    assert_eq!(accounts.0.lock().unwrap()[AccountKind::User as usize].1, tokens(100));
    // The reservation was dropped, so it stays spent for everybody.
    assert!(purse().reserve(tokens(1), Overdraft::Denied).await.is_err());
}

#[tokio::test]
async fn refusal_by_one_account_charges_none() {
    let accounts = Arc::new(MemoryAccounts::default());
    let limits = SpendingLimits {
        run: limited(1_000),
        conversation: limited(1_000),
        user: limited(10),
        ..SpendingLimits::default()
    };
    let purse = Purse::new(limits).with_accounts(accounts.clone());
    assert!(purse.reserve(tokens(20), Overdraft::Denied).await.is_err());
    let balances = purse.balances().await.unwrap();
    for account in [balances.run, balances.conversation, balances.user] {
        assert_eq!(account.unwrap().spent, Spending::default());
    }
    assert_eq!(accounts.0.lock().unwrap()[AccountKind::Conversation as usize].1, tokens(0));
}

#[tokio::test]
async fn unlimited_account_is_still_charged() {
    let accounts = Arc::new(MemoryAccounts::default());
    let purse = Purse::new(SpendingLimits::default()).with_accounts(accounts.clone());
    let reservation = purse.reserve(tokens(500), Overdraft::Denied).await.unwrap();
    assert_eq!(accounts.0.lock().unwrap()[AccountKind::User as usize].0, 0, "nothing is saved yet");
    reservation.settle(tokens(20), Usage { input: 20, ..Usage::default() }).await.unwrap();
    for account in [AccountKind::Conversation, AccountKind::User] {
        assert_eq!(accounts.0.lock().unwrap()[account as usize].1, tokens(20));
    }
    assert_eq!((purse.usage().await.input, purse.balances().await), (20, None));
}

#[tokio::test]
async fn exhausted_budget_names_account_spending_and_limit() {
    let cost = SpendingLimit { tokens: None, cost: Some(Money::from_micros(500_000)) };
    let spending = SpendingLimits { conversation: cost, ..SpendingLimits::default() };
    let budget = Budget::new(BudgetLimits { spending, ..BudgetLimits::default() });
    let most = Spending { tokens: 1, cost: Money::from_micros(600_000) };
    let Err(ReserveError::Exhausted(full)) = budget.purse().reserve(most, Overdraft::Denied).await
    else {
        panic!()
    };
    let exhausted = budget.overspent(full);
    assert_eq!(exhausted.resource(), BudgetResource::Cost(AccountKind::Conversation));
    let expected = "the money of the conversation is used up (0 of 0.5 spent, and a request may \
                    cost 0.6; with all agents that calls ran)";
    assert_eq!(exhausted.to_string(), expected);
}

/// A limit may change while a request is open, also of an account that had none: each account gets
/// back its reservation, and nothing else.
#[tokio::test]
async fn a_limit_changes_while_requests_are_open() {
    let accounts = Arc::new(MemoryAccounts::default());
    let purse = Purse::new(SpendingLimits::default()).with_accounts(accounts.clone());
    let open = purse.reserve(tokens(80), Overdraft::Denied).await.unwrap();
    for account in AccountKind::ALL {
        purse.set_limit(account, limited(100)).await;
    }
    open.settle(tokens(30), Usage::default()).await.unwrap();
    let balances = purse.balances().await.unwrap();
    for balance in [balances.run, balances.conversation, balances.user] {
        assert_eq!(balance.unwrap().spent, tokens(30), "{balances:?}");
    }
    assert!(purse.reserve(tokens(71), Overdraft::Denied).await.is_err());
    let mut open = purse.reserve(tokens(70), Overdraft::Denied).await.unwrap();
    purse.set_limit(AccountKind::Run, limited(10)).await;
    assert!(open.grow(tokens(1)).await.is_err(), "the limit is exceeded");
    purse.set_limit(AccountKind::Run, limited(1_000)).await;
    // A limit of money does not change the limit of tokens.
    let cost = SpendingLimit { tokens: None, cost: Some("5".parse().unwrap()) };
    purse.set_limit(AccountKind::Run, cost).await;
    assert_eq!(purse.limits().run.tokens, Some(1_000));
    assert!(purse.limits().needs_prices());
    open.settle(tokens(60), Usage::default()).await.unwrap();
    let balances = purse.balances().await.unwrap();
    assert_eq!(balances.conversation.unwrap().spent, tokens(90));
    assert!(
        purse.reserve(tokens(11), Overdraft::Denied).await.is_err(),
        "the conversation has no room"
    );
}
