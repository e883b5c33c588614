package planetoid

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"

	"github.com/ehgnn/ehgnn/data"
)

// Limits of a pickle. The library allocates every length that it reads, and up to a few hundred
// bytes per instruction. So check reads all instructions first. Pubmed, the largest set, has
// 200,000 instructions.
const (
	maxInstructions = 1 << 20
	maxDepth        = 16 // of marks; the files have 2
	// instructionBytes is the largest memory of an object of the library.
	instructionBytes = 128
)

// classes are the globals that a pickle may name, with their replacements.
var classes = map[string]any{
	"collections defaultdict":             adjacencyClass{},
	"__builtin__ list":                    marker{},
	"builtins list":                       marker{}, // the library has its own list
	"numpy ndarray":                       marker{},
	"numpy dtype":                         dtypeClass{},
	"numpy.core.multiarray _reconstruct":  arrayClass{},
	"numpy._core.multiarray _reconstruct": arrayClass{},
	"scipy.sparse.csr csr_matrix":         matrixClass{},
	"scipy.sparse._csr csr_matrix":        matrixClass{},
}

// marker replaces a class that only occurs as an argument.
type marker struct{}

// load decodes a pickle of lists, dicts, tuples, numbers, texts and classes.
func load(b []byte, budget *data.Budget) (v any, err error) {
	instructions, err := check(b)
	if err == nil {
		err = budget.Charge(int64(instructions)*instructionBytes+2*int64(len(b)), "objects of a pickle")
	}
	if err != nil {
		return nil, err
	}
	// The library panics on some damaged pickles, such as a dict with an odd number of items.
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(runtime.Error)
			if !ok {
				panic(r)
			}
			v, err = nil, fmt.Errorf("is no valid pickle: %v", fault)
		}
	}()
	u := pickle.NewUnpickler(bytes.NewReader(b))
	u.FindClass = func(module, name string) (any, error) { return classes[module+" "+name], nil }
	if v, err = u.Load(); err != nil {
		const most = 200
		text := err.Error()
		if len(text) > most { // it may print a whole array
			text = text[:most] + "..."
		}
		return nil, fmt.Errorf("is no valid pickle: %s", text)
	}
	return v, nil
}

// check reads the instructions of a pickle without running them. It allows the instructions that
// NumPy, SciPy and dicts of lists need, lengths within the file, and the globals of classes.
func check(b []byte) (instructions int, err error) {
	depth, count := 0, 0
	for i := 0; i < len(b); {
		at, op := i, b[i]
		i++
		fail := func(format string, args ...any) (int, error) {
			return 0, fmt.Errorf("is no pickle of a Planetoid set: byte %d: %s", at, fmt.Sprintf(format, args...))
		}
		if count++; count > maxInstructions {
			return fail("more than %d instructions", maxInstructions)
		}
		size, head := 0, 0 // of the argument, or of its length
		switch op {
		case 'N', ')', ']', '}', 'R', 'b', 'a', 's', 0x81, 0x85, 0x86, 0x87, 0x88, 0x89:
		case 'K', 'q', 'h':
			size = 1
		case 'M':
			size = 2
		case 'J', 'r', 'j':
			size = 4
		case 'G':
			size = 8
		case 'U', 'C', 0x8a:
			head = 1
		case 'T', 'B', 'X':
			head = 4
		case 0x80:
			if size = 1; i < len(b) && b[i] > 3 {
				return fail("protocol %d, expected 2 or 3", b[i])
			}
		case '(':
			if depth++; depth > maxDepth {
				return fail("more than %d marks inside one another", maxDepth)
			}
		case 't', 'e', 'u':
			if depth--; depth < 0 {
				return fail("no mark to end")
			}
		case 'c':
			module, rest, ok := bytes.Cut(b[i:], []byte("\n"))
			name, _, ok2 := bytes.Cut(rest, []byte("\n"))
			if !ok || !ok2 {
				return fail("the file ends inside a name")
			}
			if _, known := classes[string(module)+" "+string(name)]; !known {
				return fail("object of class %.40q, expected arrays, matrices and lists", string(module)+"."+string(name))
			}
			size = len(module) + len(name) + 2
		case '.':
			if i < len(b) {
				return fail("%d bytes follow the end", len(b)-i)
			}
			return count, nil
		default:
			return fail("instruction %#x", op)
		}
		if head > len(b)-i {
			return fail("the file ends inside an instruction")
		}
		switch head {
		case 1:
			size = int(b[i])
		case 4:
			size = int(int32(binary.LittleEndian.Uint32(b[i:])))
		}
		i += head
		if op == 0x8a && (size < 1 || size > 8) {
			return fail("a number of %d bytes, expected 1 to 8", size)
		}
		if size < 0 || size > len(b)-i {
			return fail("%d bytes expected, %d are left", size, len(b)-i)
		}
		i += size
	}
	return 0, fmt.Errorf("is no pickle of a Planetoid set: the file ends before the pickle does")
}

// tuple returns v as a tuple of at least n elements.
func tuple(v any, n int) ([]any, error) {
	t, ok := v.(*types.Tuple)
	if !ok || t.Len() < n {
		return nil, fmt.Errorf("%T, expected a tuple of %d", v, n)
	}
	return *t, nil
}

// adjacencyClass is collections.defaultdict. A Planetoid set has one, from nodes to their
// neighbours.
type adjacencyClass struct{}

func (adjacencyClass) Call(args ...any) (any, error) { return &adjacency{}, nil }

// adjacency is this dict, in the order of the file.
type adjacency struct{ nodes, neighbours []any }

// Set implements types.DictSetter.
func (a *adjacency) Set(key, value any) {
	a.nodes = append(a.nodes, key)
	a.neighbours = append(a.neighbours, value)
}
