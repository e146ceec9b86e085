//! The methods of a store that passes them on to another one.

/// Writes methods of `silcrow_store::Store` that pass on to another store, for a store of a test that
/// fails, waits or counts in some of them.
///
/// The crate that uses it depends on `futures-util`, `silcrow-event` and `silcrow-store`.
///
/// | form | the method |
/// |---|---|
/// | `store_methods!(store: get, keys)` | `self.store.get(…)` |
/// | `store_methods!(next(): get, keys)` | `self.next().get(…)` |
/// | `store_methods!(store, change: put)` | `self.change(self.store.put(…))`, in a box |
///
/// ```ignore
/// impl Store for FullStore {
///     silcrow_testkit::store_methods!(inner: read, head, follow, list, summary, get, keys, verify);
///     silcrow_testkit::store_methods!(inner: search, hold);
///     silcrow_testkit::store_methods!(inner, fail: append, put, delete);
/// }
/// ```
#[macro_export]
macro_rules! store_methods {
    ($target:ident: $($method:ident),+ $(,)?) => {
        $crate::store_methods!(@all [$target] [] $($method)+);
    };
    ($target:ident(): $($method:ident),+ $(,)?) => {
        $crate::store_methods!(@all [$target()] [] $($method)+);
    };
    ($target:ident, $through:ident: $($method:ident),+ $(,)?) => {
        $crate::store_methods!(@all [$target] [$through] $($method)+);
    };
    (@all $target:tt $through:tt $($method:ident)+) => {
        $($crate::store_methods!(@$method $target $through);)+
    };
    (@call $this:ident [] $($call:tt)+) => { $($call)+ };
    (@call $this:ident [$through:ident] $($call:tt)+) => {
        ::futures_util::FutureExt::boxed($this.$through($($call)+))
    };
    (@append [$($target:tt)+] $through:tt) => {
        fn append<'a>(
            &'a self,
            conversation: &'a str,
            expected: u64,
            batch: Vec<::silcrow_event::Entry>,
        ) -> ::futures_util::future::BoxFuture<'a, Result<u64, ::silcrow_store::Error>> {
            $crate::store_methods!(
                @call self $through self.$($target)+.append(conversation, expected, batch)
            )
        }
    };
    (@read [$($target:tt)+] $through:tt) => {
        fn read<'a>(
            &'a self,
            conversation: &'a str,
            positions: ::std::ops::RangeInclusive<u64>,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<Vec<::silcrow_event::Entry>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(
                @call self $through self.$($target)+.read(conversation, positions)
            )
        }
    };
    (@head [$($target:tt)+] $through:tt) => {
        fn head<'a>(
            &'a self,
            conversation: &'a str,
        ) -> ::futures_util::future::BoxFuture<'a, Result<u64, ::silcrow_store::Error>> {
            $crate::store_methods!(@call self $through self.$($target)+.head(conversation))
        }
    };
    (@follow [$($target:tt)+] []) => {
        fn follow<'a>(
            &'a self,
            conversation: &'a str,
            after: u64,
        ) -> ::futures_util::stream::BoxStream<
            'a,
            Result<::silcrow_event::Entry, ::silcrow_store::Error>,
        > {
            self.$($target)+.follow(conversation, after)
        }
    };
    (@list [$($target:tt)+] $through:tt) => {
        fn list<'a>(
            &'a self,
            user: Option<&'a str>,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<Vec<::silcrow_store::Summary>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.list(user))
        }
    };
    (@summary [$($target:tt)+] $through:tt) => {
        fn summary<'a>(
            &'a self,
            conversation: &'a str,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<Option<::silcrow_store::Summary>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.summary(conversation))
        }
    };
    (@ids_beginning_with [$($target:tt)+] $through:tt) => {
        fn ids_beginning_with<'a>(
            &'a self,
            beginning: &'a str,
        ) -> ::futures_util::future::BoxFuture<'a, Result<Vec<String>, ::silcrow_store::Error>> {
            $crate::store_methods!(
                @call self $through self.$($target)+.ids_beginning_with(beginning)
            )
        }
    };
    (@get [$($target:tt)+] $through:tt) => {
        fn get<'a>(
            &'a self,
            space: &'a str,
            key: &'a str,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<Option<::silcrow_store::Versioned>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.get(space, key))
        }
    };
    (@put [$($target:tt)+] $through:tt) => {
        fn put<'a>(
            &'a self,
            space: &'a str,
            key: &'a str,
            expected: u64,
            value: Vec<u8>,
        ) -> ::futures_util::future::BoxFuture<'a, Result<u64, ::silcrow_store::Error>> {
            $crate::store_methods!(
                @call self $through self.$($target)+.put(space, key, expected, value)
            )
        }
    };
    (@keys [$($target:tt)+] $through:tt) => {
        fn keys(
            &self,
        ) -> ::futures_util::future::BoxFuture<
            '_,
            Result<Vec<(String, String)>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.keys())
        }
    };
    (@delete [$($target:tt)+] $through:tt) => {
        fn delete<'a>(
            &'a self,
            conversation: &'a str,
            expected: u64,
        ) -> ::futures_util::future::BoxFuture<'a, Result<(), ::silcrow_store::Error>> {
            $crate::store_methods!(
                @call self $through self.$($target)+.delete(conversation, expected)
            )
        }
    };
    (@verify [$($target:tt)+] $through:tt) => {
        fn verify(
            &self,
        ) -> ::futures_util::future::BoxFuture<
            '_,
            Result<::silcrow_store::verify::Report, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.verify())
        }
    };
    (@search [$($target:tt)+] $through:tt) => {
        fn search<'a>(
            &'a self,
            query: &'a ::silcrow_store::search::Query,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<Vec<::silcrow_store::search::Hit>, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.search(query))
        }
    };
    (@hold [$($target:tt)+] $through:tt) => {
        fn hold<'a>(
            &'a self,
            conversation: &'a str,
        ) -> ::futures_util::future::BoxFuture<
            'a,
            Result<::silcrow_store::Hold, ::silcrow_store::Error>,
        > {
            $crate::store_methods!(@call self $through self.$($target)+.hold(conversation))
        }
    };
}
