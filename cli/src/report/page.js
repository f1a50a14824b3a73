
'use strict';
// Folding, arrows, details and keys. Without it everything is unfolded, and the first cause has its arrows.
document.documentElement.classList.add('js');
document.addEventListener('DOMContentLoaded', () => {
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const tip = document.getElementById('tip');
    const help = document.getElementById('help');
    const bugs = all('section.bug');
    const isSeen = (element) => element.offsetParent !== null;

    // Arrows go from the side of one event that faces the other to the side of the other.
    const draw = (bug) => {
        const lanes = bug.querySelector('.lanes');
        if (!lanes) return;
        const base = lanes.getBoundingClientRect();
        const box = (element) => {
            const { left, right, top, bottom } = element.getBoundingClientRect();
            const x = lanes.scrollLeft - base.left - lanes.clientLeft, y = lanes.scrollTop - base.top - lanes.clientTop;
            return { left: left + x, right: right + x, middle: (top + bottom) / 2 + y };
        };
        all('.ev.on', lanes).forEach((event) => event.classList.remove('on'));
        all('.arrow', lanes).forEach((arrow) => {
            const from = document.getElementById(arrow.dataset.from), to = document.getElementById(arrow.dataset.to);
            const isChosen = arrow.dataset.cause === (bug.dataset.cause || '0');
            const isDrawn = isChosen && from && to && isSeen(from) && isSeen(to);
            arrow.classList.toggle('off', !isDrawn);
            if (!isDrawn) return;
            from.classList.add('on');
            to.classList.add('on');
            const a = box(from), b = box(to);
            let path;
            if (Math.abs(a.left - b.left) < 4) {
                // In one lane: round the right-hand side.
                const out = a.right + 26;
                path = `M${a.right} ${a.middle}C${out} ${a.middle} ${out} ${b.middle} ${b.right} ${b.middle}`;
            } else {
                const goesRight = b.left > a.left;
                const x1 = goesRight ? a.right : a.left, x2 = goesRight ? b.left : b.right;
                const bend = (goesRight ? 1 : -1) * Math.max(26, Math.abs(x2 - x1) / 2);
                path = `M${x1} ${a.middle}C${x1 + bend} ${a.middle} ${x2 - bend} ${b.middle} ${x2} ${b.middle}`;
            }
            const line = arrow.querySelector('path');
            line.setAttribute('d', path);
            // Numbers of arrows that cross should not lie upon each other.
            const part = [0.3, 0.62, 0.46, 0.78][(arrow.querySelector('text').textContent - 1) % 4];
            const { x, y } = line.getPointAtLength(line.getTotalLength() * part);
            const circle = arrow.querySelector('circle'), text = arrow.querySelector('text');
            circle.setAttribute('cx', x);
            circle.setAttribute('cy', y);
            text.setAttribute('x', x);
            text.setAttribute('y', y);
        });
    };
    const redraw = () => bugs.forEach(draw);

    const fold = (button, open) => {
        button.setAttribute('aria-expanded', open);
        document.getElementById(button.getAttribute('aria-controls')).classList.toggle('closed', !open);
    };
    const foldAll = (bug, open) => {
        all('.fold', bug).forEach((button) => fold(button, open));
        all('.compare details', bug).forEach((details) => { details.open = open; });
        all('button.all', bug).forEach((button) => { button.textContent = open ? 'Fold what does not matter' : 'Unfold everything'; });
        bug.dataset.open = open ? '1' : '';
        draw(bug);
    };

    const choose = (bug, cause) => {
        if (!bug.querySelector(`.cause[id$="-cause-${cause}"]`)) return;
        bug.dataset.cause = cause;
        all('.tabs button', bug).forEach((tab) => {
            tab.setAttribute('aria-selected', tab.dataset.cause === cause);
            tab.tabIndex = tab.dataset.cause === cause ? 0 : -1;
        });
        all('.cause', bug).forEach((panel) => panel.classList.toggle('off', !panel.id.endsWith(`-cause-${cause}`)));
        all('.ghosts', bug).forEach((row) => row.classList.toggle('off', row.dataset.cause !== cause));
        // What the cause is about must be seen.
        all('.arrow', bug).filter((arrow) => arrow.dataset.cause === cause).forEach((arrow) => {
            [arrow.dataset.from, arrow.dataset.to].forEach((id) => {
                const chunk = document.getElementById(id)?.closest('.chunk');
                if (chunk) fold(bug.querySelector(`[aria-controls="${chunk.id}"]`), true);
            });
        });
        draw(bug);
    };

    let shown = null;
    const hide = () => { tip.hidden = true; shown = null; };
    const show = (event) => {
        shown = event;
        const inputs = event.closest('.lanes')?.dataset.inputs;
        tip.textContent = event.dataset.tip + (inputs ? `\ninputs: ${inputs}` : '');
        tip.hidden = false;
        const at = event.getBoundingClientRect(), own = tip.getBoundingClientRect();
        const below = at.bottom + 6 + own.height < innerHeight;
        tip.style.left = `${Math.max(8, Math.min(at.left, innerWidth - own.width - 8))}px`;
        tip.style.top = `${below ? at.bottom + 6 : Math.max(4, at.top - own.height - 6)}px`;
    };

    all('.ev, .compare li[title]').forEach((event) => {
        event.dataset.tip = event.title;
        event.removeAttribute('title');
        if (event.matches('.ev')) event.tabIndex = -1;
        event.addEventListener('mouseenter', () => show(event));
        event.addEventListener('mouseleave', hide);
        event.addEventListener('focus', () => show(event));
        event.addEventListener('blur', hide);
    });
    // Going to an event by a key may scroll, and so does a wheel under a pointer: details go with their event.
    addEventListener('scroll', () => { if (shown) show(shown); }, { passive: true, capture: true });

    const stops = (lanes) => all('.ev, .fold', lanes).filter(isSeen);
    const go = (element) => {
        if (!element) return;
        all('.ev, .fold', element.closest('.lanes')).forEach((other) => { other.tabIndex = -1; });
        element.tabIndex = 0;
        element.focus({ preventScroll: true });
        element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        if (element.matches('.ev')) show(element);
    };
    const beside = (lanes, element, step) => {
        const at = element.getBoundingClientRect();
        const others = all('.ev', lanes).filter(isSeen).map((other) => ({ other, box: other.getBoundingClientRect() }))
            .filter(({ box }) => step > 0 ? box.left > at.left + 4 : box.left < at.left - 4);
        const distance = ({ box }) => Math.abs(box.left - at.left) * 1000 + Math.abs(box.top - at.top);
        return others.sort((one, other) => distance(one) - distance(other))[0]?.other;
    };

    bugs.forEach((bug) => {
        foldAll(bug, false);
        choose(bug, '0');
        all('.fold', bug).forEach((button) => {
            button.tabIndex = -1;
            button.addEventListener('click', () => {
                fold(button, button.getAttribute('aria-expanded') !== 'true');
                draw(bug);
            });
        });
        all('button.all', bug).forEach((button) => button.addEventListener('click', () => foldAll(bug, !bug.dataset.open)));
        all('.tabs', bug).forEach((tabs) => {
            tabs.addEventListener('click', ({ target }) => target.dataset.cause && choose(bug, target.dataset.cause));
            tabs.addEventListener('keydown', (event) => {
                const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
                const list = all('button', tabs), next = list[list.indexOf(event.target) + step];
                if (next) { choose(bug, next.dataset.cause); next.focus(); }
            });
        });
        const lanes = bug.querySelector('.lanes');
        if (!lanes) return;
        const first = stops(lanes)[0];
        if (first) first.tabIndex = 0;
        lanes.addEventListener('keydown', (event) => {
            const list = stops(lanes), at = list.indexOf(event.target);
            if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
            const next = {
                ArrowDown: () => list[at + 1], ArrowUp: () => list[at - 1], Home: () => list[0], End: () => list.at(-1),
                ArrowRight: () => beside(lanes, event.target, 1), ArrowLeft: () => beside(lanes, event.target, -1),
            }[event.key];
            if (!next) return;
            event.preventDefault();
            go(next());
        });
    });
    all('.tree').forEach((tree) => { tree.open = all('li', tree).length <= 12; });
    redraw();

    const current = () => bugs.filter((bug) => bug.getBoundingClientRect().top < innerHeight / 2).at(-1) || bugs[0];
    const visit = (step) => {
        const next = bugs[bugs.indexOf(current()) + step];
        if (next) { next.focus({ preventScroll: true }); next.scrollIntoView(); }
    };
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        if (event.key === 'Escape') hide();
        if (help.open) return;
        if (event.key === '?') { event.preventDefault(); help.showModal(); }
        if (!bugs.length) return;
        if (event.key === 'f') foldAll(current(), !current().dataset.open);
        if (event.key === 'j') visit(1);
        if (event.key === 'k') visit(-1);
        if (/^[1-9]$/.test(event.key)) choose(current(), String(event.key - 1));
    });
    document.getElementById('help-button').addEventListener('click', () => help.showModal());
    document.getElementById('help-close').addEventListener('click', () => help.close());
    addEventListener('resize', redraw);
    let before = [];
    addEventListener('beforeprint', () => {
        before = bugs.map((bug) => bug.dataset.open);
        bugs.forEach((bug) => foldAll(bug, true));
        all('details').forEach((details) => { details.open = true; });
    });
    addEventListener('afterprint', () => bugs.forEach((bug, n) => foldAll(bug, Boolean(before[n]))));
});
