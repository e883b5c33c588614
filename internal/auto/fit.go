package auto

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/model"
)

// columnSet is a set of families that learners are trained on.
type columnSet struct {
	name      string
	families  []string
	snapshots bool
	pair      string      // name of the same set with structure
	hops      int         // message passing steps of dual networks
	again     int         // number of earlier dual networks with the same hops
	sample    bool        // train on a sample of the rows
	pace      [][]float32 // Trained.Pace of trees on all columns: trees on this set are stopped if they are worse; nil to never stop them
}

// trainer trains a learner of one kind on some columns.
type trainer struct {
	kind  string
	train func(ctx context.Context, p *problem, set columnSet, from *trainingSet, columns []int32) (Trained, error)
}

// Fit trains the learners and chooses among them. If ctx ends, Fit returns the error of ctx, and Request.Kept has the
// learners trained so far.
func Fit(ctx context.Context, r Request) (*Result, error) {
	p := &problem{Request: r, families: r.Layout.Families()}
	if p.large == 0 {
		p.large = largeRows
	}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	if err := p.snapshots(ctx); err != nil {
		return nil, err
	}
	race := &race{problem: p}
	race.add("constant", columnSet{name: "nothing"}, p.constant(), 0)
	for _, t := range p.trainers() {
		if t.kind == model.LearnerDual && race.solved() {
			continue
		}
		if err := race.runAll(ctx, t); err != nil {
			return nil, err
		}
	}
	bounds, err := race.trainBounds(ctx)
	if err != nil {
		return nil, err
	}
	out, err := race.result()
	if err != nil {
		return nil, err
	}
	for _, t := range bounds {
		out.Learners, out.Arrays = append(out.Learners, t.Learner), append(out.Arrays, t.Arrays)
	}
	return out, nil
}

// race collects the trained learners.
type race struct {
	*problem
	entries []entry
}

type entry struct {
	Entry
	set     columnSet
	trained Trained
	loss    losses
}

// add adds an entry.
func (r *race) add(learner string, set columnSet, t Trained, width int) {
	e := entry{set: set, trained: t, loss: r.lossesOf(t.Prediction)}
	e.Learner, e.Columns, e.Width, e.Steps, e.Seconds = learner, set.title(), width, t.Steps, t.Seconds
	if t.Stopped {
		e.Columns += stoppedName
	}
	e.Loss, e.Error = e.loss.mean()
	r.entries = append(r.entries, e)
	if r.OnEntry != nil {
		r.OnEntry(e.Entry)
	}
}

// solvedShare is the share of the constant's loss below which no slower learner is trained.
const solvedShare = 0.001

// solved reports whether a learner is so good that slower learners cannot improve on it. The constant is the first entry.
func (r *race) solved() bool {
	return slices.ContainsFunc(r.entries, func(e entry) bool { return e.Loss <= solvedShare*r.entries[0].Loss })
}

// runAll trains the learners of a kind. On a large table, trees are trained on all sets with a sample of the rows. Then
// the best set is trained with all rows: a sample is enough to compare sets.
func (r *race) runAll(ctx context.Context, t trainer) error {
	sets := r.setsOf(t.kind)
	if t.kind == model.LearnerTrees && r.hiding.static.Rows > r.large && len(sets) > 1 && r.Quality != model.QualityBest {
		var samples []columnSet
		for _, set := range sets {
			set.sample = true
			samples = append(samples, set)
		}
		if err := r.runPaced(ctx, t, samples); err != nil {
			return err
		}
		won := r.entries[r.winner(t.kind)].set
		won.sample, won.pace = false, nil
		sets = []columnSet{won}
	}
	return r.runPaced(ctx, t, sets)
}

// runPaced is runSets. On tables that are not small, it first trains trees on all columns. Trees on another set are
// stopped if they are worse after as many rounds by leaveErrors standard errors.
func (r *race) runPaced(ctx context.Context, t trainer, sets []columnSet) error {
	if t.kind == model.LearnerTrees && r.long() && len(sets) > 2 && r.Quality != model.QualityBest {
		if err := r.runSets(ctx, t, sets[:1]); err != nil {
			return err
		}
		sets = sets[1:]
		for i := range sets {
			sets[i].pace = r.entries[len(r.entries)-1].trained.Pace
		}
	}
	return r.runSets(ctx, t, sets)
}

// title is the name of the set on the leaderboard.
func (s columnSet) title() string {
	if s.sample {
		return s.name + sampleName
	}
	return s.name
}

// Words that are added to the name of a set on the leaderboard: it is trained on a sample of the rows, or was stopped.
const (
	sampleName  = ", a sample"
	stoppedName = ", stopped"
)

// besideRows is the number of training rows up to which learners of a kind are trained in parallel. The loops of a
// small table are too short for all threads.
const besideRows = 50_000

// runSets trains a learner on each set. The entries have the order of the sets.
func (r *race) runSets(ctx context.Context, t trainer, sets []columnSet) error {
	threads := r.Threads
	if r.hiding.static.Rows > besideRows {
		threads = 1 // learners in sequence, each with all threads
	}
	trained := make([]*Trained, len(sets))
	added, adding := 0, sync.Mutex{}
	errs, err := par.Map(ctx, threads, lists.Range[int](len(sets)), func(i int) error {
		one, err := r.trainOn(ctx, t, sets[i])
		if err != nil {
			return err
		}
		adding.Lock()
		defer adding.Unlock()
		for trained[i] = &one; added < len(sets) && trained[added] != nil; added++ {
			r.add(t.kind, sets[added], *trained[added], len(r.columnsOf(sets[added])))
		}
		return nil
	})
	return cmp.Or(append([]error{err}, errs...)...) // the first error; the error of ctx comes before others
}

// trainOn trains a learner on a set of columns, or loads it from an interrupted training.
func (r *race) trainOn(ctx context.Context, t trainer, set columnSet) (Trained, error) {
	name := t.kind + " " + set.title()
	if r.Kept != nil {
		if trained, ok := r.Kept.Load(name); ok {
			return trained, nil
		}
	}
	from := r.rowsFor(set)
	if set.sample {
		from = from.sample(r.large / 2)
	}
	start := time.Now()
	trained, err := t.train(ctx, r.problem, set, from, r.columnsOf(set))
	if err != nil {
		return Trained{}, fmt.Errorf("auto: %s: %w", name, err)
	}
	trained.Seconds = time.Since(start).Seconds()
	if r.Kept != nil {
		err = r.Kept.Save(name, trained)
	}
	return trained, err
}

// columnsOf returns the columns of a set that have not drifted.
func (p *problem) columnsOf(set columnSet) []int32 {
	var out []int32
	drifted := p.drifted(p.rowsFor(set))
	for c, f := range p.families {
		if slices.Contains(set.families, f) && !drifted[c] {
			out = append(out, int32(c))
		}
	}
	return out
}

// result chooses and averages the best learners.
func (r *race) result() (*Result, error) {
	var groups [][]int // indices of the averaged entries, one list for each kind
	var means []losses
	var predictions [][]float32
	for _, kind := range []string{model.LearnerTrees, model.LearnerNetwork, model.LearnerLinear} {
		if of := r.group(kind); of != nil {
			mean := r.mean(of)
			groups, predictions, means = append(groups, of), append(predictions, mean), append(means, r.lossesOf(mean))
		}
	}
	weight := map[int]float64{}
	var kept [][]float32
	voting := r.withHelpful(members(means), predictions)
	for _, g := range voting {
		kept = append(kept, predictions[g])
		for _, k := range groups[g] {
			weight[k] = 1 / float64(len(voting)*len(groups[g]))
		}
	}
	if kept == nil {
		return nil, fmt.Errorf("auto: no learner could be trained")
	}
	r.add("average", columnSet{name: "of the marked learners"}, Trained{Prediction: average(kept)}, 0)
	final := len(r.entries) - 1
	if linear := r.winner(model.LearnerLinear); linear >= 0 {
		if r.entries[linear].loss.aheadBy(tieErrors, r.entries[final].loss) {
			weight, final, kept = map[int]float64{linear: 1}, linear, [][]float32{r.entries[linear].trained.Prediction}
		}
	}
	weight, final = r.withDual(weight, final, kept)
	return r.assemble(weight, final), nil
}

// withHelpful adds each other kind to the average if this lowers the loss significantly. With many validation edges, a
// kind that is clearly worse may still help, because it makes different errors.
func (r *race) withHelpful(voting []int, predictions [][]float32) []int {
	mean := func(kinds []int) losses {
		return r.lossesOf(average(lists.Map(kinds, func(g int) []float32 { return predictions[g] })))
	}
	for g := range predictions {
		if slices.Contains(voting, g) {
			continue
		}
		more := append(slices.Clone(voting), g)
		if mean(more).beats(mean(voting)) {
			voting = more
		}
	}
	return voting
}

// withDual adds the dual networks to the mean, as one more kind, if this lowers the loss by leaveErrors standard
// errors. Dual networks alone replace a mean without them if they are better by as much, and a mean with them if they
// are better by tieErrors: where messages are known to help, an equal mean dilutes them.
func (r *race) withDual(weight map[int]float64, final int, kinds [][]float32) (map[int]float64, int) {
	of := r.duals()
	if of == nil {
		return weight, final
	}
	dual := r.mean(of)
	alone := map[int]float64{}
	for _, k := range of {
		alone[k] = 1 / float64(len(of))
	}
	needed := float64(leaveErrors)
	if len(kinds) > 0 {
		if all := average(append(slices.Clone(kinds), dual)); r.lossesOf(all).beats(r.entries[final].loss) {
			needed = tieErrors
			r.add("average", columnSet{name: "of learners on columns and dual networks"}, Trained{Prediction: all}, 0)
			final = len(r.entries) - 1
			share := 1 / float64(len(kinds)+1)
			for k := range weight {
				weight[k] *= 1 - share
			}
			for _, k := range of {
				weight[k] = share / float64(len(of))
			}
		}
	}
	if r.lossesOf(dual).aheadBy(needed, r.entries[final].loss) {
		if len(of) > 1 {
			r.add("average", columnSet{name: "of dual networks"}, Trained{Prediction: dual}, 0)
			return alone, len(r.entries) - 1
		}
		return alone, of[0]
	}
	return weight, final
}

// mostAveraged is how many learners of a kind are averaged at most.
const mostAveraged = 3

// group lists the entries of a kind that are averaged, best first: the best entry, and entries that are worse by
// at most groupErrors standard errors of the paired difference.
func (r *race) group(kind string) []int {
	won := r.winner(kind)
	if won < 0 {
		return nil
	}
	out := lists.Where[int](r.entries, func(k int, e entry) bool {
		gain, err := r.entries[won].loss.ahead(e.loss)
		return e.Learner == kind && (k == won || gain <= groupErrors*err)
	})
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(r.entries[a].Loss, r.entries[b].Loss) })
	return out[:min(len(out), mostAveraged)]
}

// duals returns the n best dual networks, with the n for which their mean has the lowest loss.
func (r *race) duals() []int {
	all := lists.Where[int](r.entries, func(_ int, e entry) bool { return e.Learner == model.LearnerDual })
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(r.entries[a].Loss, r.entries[b].Loss) })
	var best []int
	least := math.Inf(1)
	for n := range all {
		if mean, _ := r.lossesOf(r.mean(all[:n+1])).mean(); mean < least {
			best, least = all[:n+1], mean
		}
	}
	return best
}

// mean is the mean of the predictions of some entries.
func (r *race) mean(of []int) []float32 {
	return average(lists.Map(of, func(k int) []float32 { return r.entries[k].trained.Prediction }))
}

// winner is the index of the entry of a kind with the lowest loss, or -1.
func (r *race) winner(kind string) int {
	won := -1
	for k, e := range r.entries {
		if e.Learner == kind && (won < 0 || e.Loss < r.entries[won].Loss) {
			won = k
		}
	}
	return won
}

// assemble makes the result: the learners with a weight, the best network (for its embeddings) and the leaderboard.
func (r *race) assemble(weight map[int]float64, final int) *Result {
	out := &Result{}
	network := r.winner(model.LearnerNetwork)
	if dual := r.winner(model.LearnerDual); dual >= 0 && weight[dual] > 0 {
		network = dual
	}
	for k := range r.entries {
		e := &r.entries[k]
		if e.Kept = weight[k] > 0; !e.Kept && k != network {
			continue
		}
		l := e.trained.Learner
		l.Weight = weight[k]
		out.Learners, out.Arrays = append(out.Learners, l), append(out.Arrays, e.trained.Arrays)
		if k == network || out.Curve == nil {
			out.Curve = e.trained.Curve
		}
	}
	for _, e := range r.entries {
		e.Behind, e.BehindError = r.entries[final].loss.ahead(e.loss)
		out.Leaderboard = append(out.Leaderboard, e.Entry)
	}
	slices.SortStableFunc(out.Leaderboard, func(a, b Entry) int { return cmp.Compare(a.Loss, b.Loss) })
	return out
}

// constant predicts the share of each class among the training edges, or the median of their numbers.
func (p *problem) constant() Trained {
	y := slices.Clone(p.hiding.y)
	out := make([]float32, len(p.valid.y)*p.Out)
	if p.Number {
		slices.Sort(y)
		v := y[len(y)/2]
		if p.Loss == LossSquared {
			v = 0 // mean of standardised numbers
		}
		for i := range out {
			out[i] = v
		}
		return Trained{Prediction: out}
	}
	share := make([]float64, p.Out)
	for _, c := range y {
		share[int(c)] += 1 / float64(len(y))
	}
	for i := range out {
		out[i] = float32(share[i%p.Out])
	}
	return Trained{Prediction: out}
}

// treeClasses is the number of classes up to which trees are trained on a table of any size. With more classes they take
// longer than other learners, and are trained up to manyOutputs.
const treeClasses = 12

// growsTrees reports whether trees are trained.
func (p *problem) growsTrees() bool {
	return p.Out <= treeClasses || p.outputs() <= manyOutputs || p.Quality == model.QualityBest
}

// outputs is the number of outputs of trees for all training rows.
func (p *problem) outputs() int { return p.hiding.static.Rows * max(p.Out-1, 1) }

// linearCells is how many columns times classes a linear model with separate weights for each class may have: its time
// grows with the square of this product.
const linearCells = 2000

// sharesWeights reports whether all classes share the weights of the linear model.
func (p *problem) sharesWeights() bool { return len(p.families)*p.Out > linearCells }

// trainers lists the kinds of learners, the simplest first.
func (p *problem) trainers() []trainer {
	var out []trainer
	if !p.sharesWeights() {
		out = append(out, trainer{model.LearnerLinear, trainLinear})
	} else if p.Out <= sharedClasses && p.Layout.ByClass() != nil {
		out = append(out, trainer{model.LearnerLinear, trainShared})
	}
	if p.growsTrees() {
		out = append(out, trainer{model.LearnerTrees, trainTrees})
	}
	out = append(out, trainer{model.LearnerNetwork, trainNetwork})
	if p.around.sparse {
		out = append(out, trainer{model.LearnerDual, trainDual})
	}
	return out
}

// largeRows is the number of training rows above which the network is trained on one set only, trees on a sample of
// half as many rows compare the sets, and the linear model learns from a sample.
const largeRows = 100_000

// goodNetworks is how many sets the network is trained on with QualityGood, at most.
const goodNetworks = 3

// setsOf returns the sets of families that a kind of learner is trained on. Trees are fast and are trained on all sets,
// but with more than treeClasses classes on few, which say nothing about other learners.
// The network is trained on the best of the sets with which trees are at most leaveErrors standard errors worse than
// with the best set. Uninformative columns hurt the network more than trees. So a set without structure counts as good
// as the same set with structure, unless structure helps the linear model, which uninformative columns hurt as well.
func (r *race) setsOf(kind string) []columnSet {
	if kind == model.LearnerDual {
		return r.dualSets()
	}
	sets := r.sets(kind)
	won := r.winner(model.LearnerTrees)
	if kind != model.LearnerNetwork || won < 0 || r.Quality == model.QualityBest || r.Out > treeClasses {
		return sets
	}
	helps := r.structureHelps()
	loss := map[string]float64{} // loss of trees by the name of the set
	for _, e := range r.entries {
		if name := e.set.name; e.Learner == model.LearnerTrees && !r.entries[won].loss.beats(e.loss) && (loss[name] == 0 || e.Loss < loss[name]) {
			loss[name] = e.Loss
		}
	}
	for _, s := range sets {
		if with, ok := loss[s.pair]; ok && !helps && (loss[s.name] == 0 || with < loss[s.name]) {
			loss[s.name] = with
		}
	}
	sets = slices.DeleteFunc(sets, func(s columnSet) bool { return loss[s.name] == 0 })
	slices.SortStableFunc(sets, func(a, b columnSet) int { return cmp.Compare(loss[a.name], loss[b.name]) })
	most := goodNetworks
	if r.Quality == model.QualityFast || r.hiding.static.Rows > r.large {
		most = 1
	}
	return sets[:min(len(sets), most)]
}

// structureHelps reports whether the linear model is worse without structure by leaveErrors standard errors.
func (r *race) structureHelps() bool {
	of := map[string]losses{}
	for _, e := range r.entries {
		if e.Learner == model.LearnerLinear {
			of[e.Columns] = e.loss
		}
	}
	with, without := of[allColumns], of[noStructure]
	if with == nil || without == nil {
		return false
	}
	return with.beats(without)
}

// Names of sets of columns.
const (
	allColumns  = "all"
	noStructure = "no structure"
	ownColumns  = "own"
)

// manyOutputs is training rows times outputs above which fewer sets are tried, because trees take long.
const manyOutputs = 500_000

// sets lists the sets of families that a kind of learner may be trained on.
func (p *problem) sets(kind string) []columnSet {
	own := []string{model.FamilyOwn, model.FamilyEnds, model.FamilyClock, model.FamilySince}
	labels := []string{model.FamilyLabels, model.FamilyLowRank, model.FamilyTwoStep}
	of := func(parts ...[]string) []string { return slices.Concat(parts...) }
	structure, few := []string{model.FamilyStructure}, labels[:1]
	all := columnSet{name: allColumns, families: of(own, structure, labels)}
	moment := columnSet{name: "all, snapshots", families: of(own, []string{model.FamilyHistory}, structure, labels), snapshots: true}
	var out []columnSet
	switch {
	case kind == model.LearnerLinear && p.sharesWeights(),
		kind != model.LearnerLinear && p.Quality == model.QualityFast && p.Out > treeClasses:
		out = []columnSet{all, moment}
	case kind == model.LearnerLinear && p.hiding.static.Rows > p.large:
		out = []columnSet{all, {name: ownColumns, families: own}, moment}
	case kind == model.LearnerLinear:
		out = []columnSet{all, {name: noStructure, families: of(own, labels)}, {name: ownColumns, families: own}, moment}
	case p.Quality == model.QualityFast || p.Quality == model.QualityGood && (p.outputs() > manyOutputs || kind == model.LearnerTrees && p.Out > treeClasses):
		out = []columnSet{all, {name: noStructure, families: of(own, labels)}, moment}
	default:
		out = []columnSet{all, {name: noStructure, families: of(own, labels), pair: all.name},
			{name: "no scores or paths", families: of(own, structure, few)}, {name: "no scores, paths or structure", families: of(own, few), pair: "no scores or paths"},
			{name: "no labels", families: of(own, structure)}, {name: ownColumns, families: own, pair: "no labels"},
			moment, {name: "no clock, snapshots", families: slices.DeleteFunc(slices.Clone(moment.families), func(f string) bool { return f == model.FamilyClock }), snapshots: true}}
	}
	var kept []columnSet
	seen := map[string]bool{}
	for _, s := range out {
		columns := p.columnsOf(s)
		key := fmt.Sprint(s.snapshots, columns)
		if len(columns) == 0 || s.snapshots && p.moments == nil || seen[key] {
			continue
		}
		seen[key] = true
		kept = append(kept, s)
	}
	return kept
}

// reads reports whether one of the columns belongs to a family.
func (p *problem) reads(columns []int32, family string) bool {
	return slices.ContainsFunc(columns, func(c int32) bool { return p.families[c] == family })
}
