import json, os, sys, urllib.request

def predict(graphs, model, url="http://127.0.0.1:8080", token=os.environ.get("EHGNN_TOKEN")):
    request = urllib.request.Request(f"{url}/v1/models/{model}/predict", json.dumps({"graphs": graphs}).encode(),
                                     {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}))
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)["predictions"]

if __name__ == "__main__":  # python3 client.py MODEL URL < graph.json
    print(json.dumps(predict([json.load(sys.stdin)], *sys.argv[1:])))
