//! Workers, each with a runner of its own, and the jobs they take.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, Scope};

use super::runner::{Learnt, Runner, RunnerError, Runners};

/// What a worker does, with its runner or with the reason why it has none.
type Job = Box<dyn FnOnce(Result<&mut dyn Runner, RunnerError>) + Send>;

/// Workers that take jobs in the order given.
pub(super) struct Team<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    shared: &'scope Shared<'env>,
    hired: usize,
    most: usize,
}

/// Where workers find their jobs.
pub(super) struct Shared<'env> {
    runners: &'env dyn Runners,
    queue: Mutex<Queue>,
    /// Somebody may find a job now.
    news: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// All that runs have taught, for runners that come later.
    lessons: Vec<Learnt>,
    closed: bool,
}

impl<'env> Shared<'env> {
    pub(super) fn new(runners: &'env dyn Runners) -> Self {
        Shared { runners, queue: Mutex::default(), news: Condvar::new() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A queue is good after every change of it, also if a worker panicked while it held the lock.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes jobs until there are none and will be none.
    fn work(&self) {
        let mut runner: Option<Box<dyn Runner>> = None;
        let mut lessons = 0;
        loop {
            let (job, news) = {
                let mut queue = self.queue();
                loop {
                    if let Some(job) = queue.jobs.pop_front() {
                        break (job, queue.lessons[lessons..].to_vec());
                    }
                    if queue.closed {
                        return;
                    }
                    queue = self.news.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let opened = match &mut runner {
                Some(runner) => Ok(runner),
                None => self.runners.open().map(|opened| runner.insert(opened)),
            };
            match opened {
                Ok(runner) => {
                    lessons += news.len();
                    for lesson in &news {
                        runner.learn(lesson);
                    }
                    job(Ok(&mut **runner));
                }
                Err(error) => job(Err(error)),
            }
        }
    }
}

impl<'scope, 'env> Team<'scope, 'env> {
    /// A team of at most so many workers; they are hired as there is work for them.
    pub(super) fn new(scope: &'scope Scope<'scope, 'env>, shared: &'scope Shared<'env>, most: usize) -> Self {
        Team { scope, shared, hired: 0, most: most.max(1) }
    }

    /// Lets the team do jobs, and answers what came of them in the order of the jobs.
    pub(super) fn all<T: Send + 'static>(
        &mut self,
        jobs: Vec<impl FnOnce(&mut dyn Runner) -> T + Send + 'static>,
    ) -> Result<Vec<T>, RunnerError> {
        let (send, results) = mpsc::channel();
        let count = jobs.len();
        {
            let mut queue = self.shared.queue();
            for (n, job) in jobs.into_iter().enumerate() {
                let send = send.clone();
                queue.jobs.push_back(Box::new(move |runner| {
                    // A panic is passed on to whoever waits, who would wait for ever for a worker that is gone.
                    let job = |runner| catch_unwind(AssertUnwindSafe(|| job(runner)));
                    // If nobody waits for it any more, it is not needed.
                    let _ = send.send((n, runner.map(job)));
                }));
            }
        }
        drop(send);
        while self.hired < self.most.min(count) {
            self.hired += 1;
            let shared = self.shared;
            thread::Builder::new()
                .name(format!("worker {}", self.hired))
                .spawn_scoped(self.scope, move || shared.work())
                .map_err(|error| RunnerError(error.into()))?;
        }
        self.shared.news.notify_all();
        let mut done: Vec<Option<T>> = (0..count).map(|_| None).collect();
        for (n, result) in results {
            done[n] = Some(result?.unwrap_or_else(|panic| resume_unwind(panic)));
        }
        let missing = || RunnerError("a worker stopped in the middle of its work".into());
        done.into_iter().map(|result| result.ok_or_else(missing)).collect()
    }

    /// Tells every runner what one of them has learnt.
    pub(super) fn teach(&mut self, lesson: Learnt) {
        self.shared.queue().lessons.push(lesson);
    }
}

impl Drop for Team<'_, '_> {
    fn drop(&mut self) {
        let mut queue = self.shared.queue();
        queue.jobs.clear();
        queue.closed = true;
        self.shared.news.notify_all();
    }
}
