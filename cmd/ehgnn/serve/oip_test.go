package serve

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// A batch of tensors gets the same bits as the library.
func TestInfer(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	body := `{"id":"7","inputs":[{"name":"num_nodes","shape":[2],"datatype":"INT64","data":[1,3]},{"name":"num_edges","shape":[2],"datatype":"INT64","data":[0,3]},
		{"name":"edge_index","shape":[2,3],"datatype":"INT64","data":[[1,2,3],[2,3,1]]},
		{"name":"x","shape":[4,1],"datatype":"FP32","data":[5,5,6,5]},{"name":"e","shape":[3,1],"datatype":"FP32","data":[[1],[2],[1]]}]}`
	var out struct {
		ModelName    string `json:"model_name"`
		ModelVersion string `json:"model_version"`
		ID           string
		Outputs      []struct {
			Name, Datatype string
			Shape          []int
			Data           []any
		}
	}
	r := ask(t, s, asked{path: "/v2/models/rings/infer", body: body})
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || out.ID != "7" || out.ModelVersion != runs[0].now.Load().digest || len(out.Outputs) != 2 {
		t.Fatalf("%v: %+v", err, r)
	}
	p := want(t, runs[0])
	if o := out.Outputs[0]; o.Name != "probabilities" || fmt.Sprint(o.Shape) != "[2 2]" || float32(o.Data[2].(float64)) != float32(p.Probabilities[0]) || float32(o.Data[3].(float64)) != float32(p.Probabilities[1]) {
		t.Errorf("%+v, want %v for the second graph", o, p.Probabilities)
	}
	if o := out.Outputs[1]; o.Name != "class" || o.Datatype != "BYTES" || fmt.Sprint(o.Shape) != "[2]" || o.Data[1] != p.Class {
		t.Errorf("%+v, want class %s for the second graph", o, p.Class)
	}
	for name, test := range map[string]struct{ old, new, pointer string }{
		"output":          {`"inputs"`, `"outputs":[{"name":"class"},{"name":"none"}],"inputs"`, "/outputs/1/name"},
		"output twice":    {`"inputs"`, `"outputs":[{"name":"class"},{"name":"class"}],"inputs"`, "/outputs/1/name"},
		"datatype":        {`"FP32"`, `"FP99"`, "/inputs/3/datatype"},
		"no datatype":     {`,"datatype":"FP32"`, ``, "/inputs/3/datatype"},
		"other values":    {`[5,5,6,5]`, `["5","5","6","5"]`, "/inputs/3/data"},
		"both":            {`"data":[5,5,6,5]`, `"parameters":{"binary_data_size":4},"data":[5,5,6,5]`, "/inputs/3"},
		"bytes for INT64": {`"INT64","data":[1,3]`, `"BYTES","data":["1","3"]`, "/inputs"},
		"bytes not there": {`"data":[5,5,6,5]`, `"parameters":{"binary_data_size":16}`, "/inputs/3"},
		"no tensor":       {`"num_edges"`, `"edges"`, "/inputs/1"},
		"another shape":   {`[2,3]`, `[2,4]`, "/inputs/2/data"},
		"wild node":       {`[2,3,1]`, `[2,4,1]`, "/edge_index/1/1"},
		"other's node":    {`[2,3,1]`, `[2,0,1]`, "/edge_index/1/1"},
		"half a node":     {`[2,3,1]`, `[2,1.5,1]`, "/edge_index/1/1"},
		"many nodes":      {`[1,3]`, `[1,1000000000]`, "/num_nodes/1"},
		"too many nodes":  {`[1,3]`, `[1,4]`, "/x"},
		"few edges":       {`[0,3]`, `[0,2]`, "/num_edges"},
		"wrong label":     {`[5,5,6,5]`, `[5,5,9,5]`, "/1/node/label/1"},
		"NaN":             {`[5,5,6,5]`, `[5,5,NaN,5]`, "/1/node/label/1"},
		"Infinity":        {`[5,5,6,5]`, `[5,5,Infinity,5]`, "/inputs/3/data/2"},
	} {
		r := ask(t, s, asked{path: "/v2/models/rings/infer", body: strings.Replace(body, test.old, test.new, 1)})
		if p := problemOf(t, r); p.Status != 422 || p.Pointer != test.pointer || p.Inferred != p.Error() {
			t.Errorf("%s: %+v, want pointer %s", name, p, test.pointer)
		}
	}
	for path, status := range map[string]int{"/v2": 200, "/v2/health/live": 200, "/v2/health/ready": 200, "/v2/models/rings": 200, "/v2/models/rings/ready": 200, "/v2/models/none/ready": 404,
		"/v2/models/rings/versions/" + runs[0].now.Load().digest: 200, "/v2/models/rings/versions/1": 404, "/v2/models/rings/versions/1/ready": 404, "/v2/models/rings/infer": 405} {
		if r := ask(t, s, asked{method: http.MethodGet, path: path}); r.status != status || !json.Valid([]byte(r.body)) {
			t.Errorf("%s: %+v, want status %d", path, r, status)
		}
	}
}

// Values may be sent in binary form and as texts. The reply has the same numbers, in binary form on request.
func TestInferPacked(t *testing.T) {
	runs := loadRuns(t, ordinary, ringsDir(t))
	s := started(t, runs, nil)
	version := "/versions/" + runs[0].now.Load().digest
	var packed []byte
	list := func(name, datatype string, shape string, values ...any) string {
		from := len(packed)
		for _, v := range values {
			if text, ok := v.(string); ok {
				packed = append(binary.LittleEndian.AppendUint32(packed, uint32(len(text))), text...)
				continue
			}
			var err error
			if packed, err = binary.Append(packed, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		return fmt.Sprintf(`{"name":%q,"datatype":%q,"shape":%s,"parameters":{"binary_data_size":%d}}`, name, datatype, shape, len(packed)-from)
	}
	head := `{"id":null,"parameters":{"binary_data_output":true,"custom":[1]},"outputs":[{"name":"class"},{"name":"probabilities","parameters":{"binary_data":false}}],"inputs":[` +
		list("num_nodes", "INT64", "[1]", int64(3)) + "," + list("num_edges", "INT32", "[1]", int32(3)) + "," +
		list("edge_index", "UINT8", "[2,3]", uint8(0), uint8(1), uint8(2), uint8(1), uint8(2), uint8(0)) + "," +
		list("x", "FP64", "[3,1]", 5.0, 6.0, 5.0) + "," + list("e", "BYTES", "[3,1]", "1", "2", "1") + "]}"
	ask := func(body string, header map[string]string) got {
		t.Helper()
		return ask(t, s, asked{path: "/v2/models/rings" + version + "/infer", body: body, header: header})
	}
	length := fmt.Sprint(len(head))
	r := ask(head+string(packed), map[string]string{"Content-Type": "application/octet-stream", headerLength: length})
	p := want(t, runs[0])
	at, err := strconv.Atoi(r.header.Get(headerLength))
	if err != nil || r.status != 200 || r.body[at:] != "\x01\x00\x00\x00"+p.Class || !strings.Contains(r.body[:at], fmt.Sprintf(`"data":[%v,%v]`, float32(p.Probabilities[0]), float32(p.Probabilities[1]))) {
		t.Errorf("%v: %+v, want %+v", err, r, p)
	}
	if r := ask(head+string(packed), map[string]string{"Content-Type": "", headerLength: length}); r.status != 200 {
		t.Errorf("without a type: %+v", r)
	}
	for name, test := range map[string]struct {
		body, length, kind string
		status             int
	}{
		"too little":    {head + string(packed[:len(packed)-1]), length, "application/octet-stream", 422},
		"too much":      {head + string(packed) + "x", length, "application/octet-stream", 400},
		"a wild length": {head + string(packed), "99999", "application/octet-stream", 400},
		"no length":     {head + string(packed), "x", "application/octet-stream", 400},
		"another type":  {head, length, "text/plain", 415},
	} {
		if r := ask(test.body, map[string]string{"Content-Type": test.kind, headerLength: test.length}); r.status != test.status {
			t.Errorf("%s: %+v, want status %d", name, r, test.status)
		}
	}
}
