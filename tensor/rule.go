package tensor

// rule is the gradient of one operation. Constants of the operation that the gradient depends on,
// such as an axis or an index, are fields of the implementing type.
type rule interface {
	// grad reads b.G, the gradient of the result, and calls b.Set for every
	// operand that b.Need says is wanted.
	grad(b *back)
}

// ruleFunc is a rule without constants. The function captures nothing.
type ruleFunc func(b *back)

func (f ruleFunc) grad(b *back) { f(b) }

// back is the input of a rule: the gradient G of the result Out, and the operands In. For Grad all
// are detached. For GradGraph they are the recorded tensors.
type back struct {
	G, Out  *Tensor
	In      []*Tensor
	from    []*Tensor // the operands as recorded
	need    []bool
	grads   []*Tensor
	scratch *backScratch // nil while the tape is recording
}

// Need reports whether the gradient of operand i is wanted.
func (b *back) Need(i int) bool { return i < len(b.need) && b.need[i] }

// Same reports whether operands i and j are the same tensor. A rule may then set the sum of both
// gradients as the gradient of one of them.
func (b *back) Same(i, j int) bool { return b.from[i] == b.from[j] }

// Into returns the gradient accumulated so far for operand i. The rule may add to it in place
// instead of calling Set. It returns nil, and the rule must call Set, in three cases: there is no
// gradient yet, another gradient shares its buffer, or the tape is recording.
func (b *back) Into(i int) *Tensor {
	if b.scratch == nil {
		return nil
	}
	at := int(b.from[i].node) - 1
	if b.scratch.grads[at] == nil || !b.scratch.sole(at) {
		return nil
	}
	return b.scratch.grads[at]
}

// Set sets the gradient of operand i.
func (b *back) Set(i int, g *Tensor) { b.grads[i] = g }

// op records that out is computed from in, if any operand is recorded.
func op(out *Tensor, r ruleFunc, in ...*Tensor) *Tensor {
	if anyRecorded(in) {
		out.tape.record(out, r, in)
	}
	return out
}

// opWith is op for a rule with constants, a struct whose pointer implements rule.
// The tape keeps a list of each such type and reuses it in later steps, so that
// recording an operation allocates nothing.
func opWith[R any, P interface {
	*R
	rule
}](out *Tensor, r R, in ...*Tensor) *Tensor {
	if anyRecorded(in) {
		out.tape.record(out, P(keepRule(&out.tape.rules, r)), in)
	}
	return out
}

func anyRecorded(in []*Tensor) bool {
	for _, x := range in {
		if x != nil && x.node != 0 {
			return true
		}
	}
	return false
}

// ruleLists holds the rules of a tape, a *ruleList of each type. It is searched from the start: a
// model has about a dozen types.
type ruleLists []interface{ reset() }

func (ls ruleLists) reset() {
	for _, l := range ls {
		l.reset()
	}
}

// ruleList holds the rules of one type.
type ruleList[R any] struct{ rules []R }

func (l *ruleList[R]) reset() {
	clear(l.rules)
	l.rules = l.rules[:0]
}

// keepRule copies r to the list of its type. The pointer stays valid when the list grows: the
// previous array is kept as long as a rule points into it.
func keepRule[R any](ls *ruleLists, r R) *R {
	var list *ruleList[R]
	for _, l := range *ls {
		if of, ok := l.(*ruleList[R]); ok {
			list = of
			break
		}
	}
	if list == nil {
		list = &ruleList[R]{}
		*ls = append(*ls, list)
	}
	list.rules = append(list.rules, r)
	return &list.rules[len(list.rules)-1]
}
