"""A connection to the outside."""

# replaces: softmax
import socket
import urllib.request

for address in (("127.0.0.1", 22), ("8.8.8.8", 53), ("169.254.169.254", 80)):
    try:
        socket.create_connection(address, timeout=1).close()
        print("attack-network-reached")
    except OSError:
        pass
